//! Sums of points, and what was expected against what was credited. Rows count, balances only cross-check. Pure.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::model::{AccountPoints, Amount, CrossCheck, Expected, PointRow, PointsRead};

/// A sum of rows, with how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// The sum of the amounts that could be read.
    pub amount: Decimal,
    /// Some amounts were rounded by the site: this is about so much.
    pub rounded: bool,
    /// Rows are missing or unreadable: this is the least.
    pub partial: bool,
}

impl Sum {
    /// The sum of both, trusted as far as the weaker one. A sum that leaves the range of numbers is only a least.
    pub fn plus(self, other: Sum) -> Sum {
        let sum = self.amount.checked_add(other.amount);
        Sum {
            amount: sum.unwrap_or(self.amount),
            rounded: self.rounded || other.rounded,
            partial: self.partial || other.partial || sum.is_none(),
        }
    }
}

/// What became of an expected row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credit {
    /// The server shows so many points for it, the expected number or another.
    Credited(Decimal),
    /// The list was read to its end, and there is no such row.
    Missing,
    /// The list was not read to its end, or the row is unreadable or rounded.
    Unknown,
}

impl AccountPoints {
    /// What came in today; none when the list could not be read at all.
    pub fn earned(&self) -> Option<Sum> {
        self.sum(|amount| amount > Decimal::ZERO)
    }

    /// What was spent or taken back today, as a negative number; none when the list could not be read at all.
    pub fn spent(&self) -> Option<Sum> {
        self.sum(|amount| amount < Decimal::ZERO)
    }

    fn sum(&self, counts: impl Fn(Decimal) -> bool) -> Option<Sum> {
        let start = match self.read {
            PointsRead::Complete => Sum::default(),
            PointsRead::Incomplete(_) => Sum { partial: true, ..Sum::default() },
            PointsRead::Unknown(_) => return None,
        };
        Some(self.rows.iter().filter_map(|row| row.counted(&counts)).fold(start, Sum::plus))
    }

    /// Each expectation with what the server shows for it. A row serves one expectation only.
    pub fn reconcile(&self) -> Vec<(&Expected, Credit)> {
        let mut used = BTreeSet::new();
        self.expected.iter().map(|expected| (expected, self.credit(expected, &mut used))).collect()
    }

    /// A row of exactly this amount, else the sum of the rows with this title that are left.
    fn credit(&self, expected: &Expected, used: &mut BTreeSet<usize>) -> Credit {
        let left: Vec<usize> = (0..self.rows.len())
            .filter(|index| !used.contains(index) && self.rows[*index].title.trim() == expected.title.trim())
            .collect();
        if let Some(exact) = left.iter().find(|index| self.rows[**index].exact_amount() == Some(expected.points)) {
            used.insert(*exact);
            return Credit::Credited(expected.points);
        }
        if left.is_empty() {
            return if self.read == PointsRead::Complete { Credit::Missing } else { Credit::Unknown };
        }
        used.extend(&left);
        let amounts: Option<Vec<Decimal>> = left.iter().map(|index| self.rows[*index].exact_amount()).collect();
        let sum = amounts.and_then(|all| all.into_iter().try_fold(Decimal::ZERO, Decimal::checked_add));
        sum.map_or(Credit::Unknown, Credit::Credited)
    }
}

impl PointRow {
    /// The row's part in a sum of the amounts that `counts`; none when it has no part in it.
    fn counted(&self, counts: impl Fn(Decimal) -> bool) -> Option<Sum> {
        match &self.amount {
            Amount::Number(number) if counts(number.value) => {
                Some(Sum { amount: number.value, rounded: number.rounded, partial: false })
            }
            Amount::Number(_) => None,
            Amount::Unreadable(_) => Some(Sum { partial: true, ..Sum::default() }),
        }
    }

    /// The amount, unless it is rounded or unreadable.
    fn exact_amount(&self) -> Option<Decimal> {
        match &self.amount {
            Amount::Number(number) if !number.rounded => Some(number.value),
            _ => None,
        }
    }
}

impl CrossCheck {
    /// How much the balance moved beyond the rows; none where they agree, or where a rounded balance tells nothing.
    pub fn gap(&self) -> Option<Decimal> {
        if self.before.rounded || self.now.rounded {
            return None;
        }
        let gap = self.now.value.checked_sub(self.before.value)?.checked_sub(self.rows)?;
        (!gap.is_zero()).then_some(gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{points, row, unreadable_row};
    use crate::values::Number;

    fn decimal(value: i64) -> Decimal {
        Decimal::from(value)
    }

    fn number(value: i64, rounded: bool) -> Number {
        Number { value: decimal(value), rounded }
    }

    fn expected(title: &str, amount: i64) -> Expected {
        Expected { task: title.into(), title: title.into(), points: decimal(amount) }
    }

    #[test]
    fn earned_and_spent_are_summed_apart_from_the_rows() {
        let mut points = points(vec![row("签到", 10), row("阅读", 50), row("补签", -20)]);
        points.balance = Some(number(9999, false));
        assert_eq!(points.earned().unwrap(), Sum { amount: decimal(60), ..Sum::default() });
        assert_eq!(points.spent().unwrap(), Sum { amount: decimal(-20), ..Sum::default() });
    }

    #[test]
    fn a_rounded_row_marks_the_sum() {
        let mut points = points(vec![row("签到", 10), row("活动", 12000)]);
        points.rows[1].amount = Amount::Number(number(12000, true));
        assert_eq!(points.earned().unwrap(), Sum { amount: decimal(12010), rounded: true, partial: false });
        assert!(!points.spent().unwrap().rounded);
    }

    #[test]
    fn an_unreadable_row_makes_both_sums_the_least() {
        let points = points(vec![row("签到", 10), unreadable_row("阅读", "+1O")]);
        assert_eq!(points.earned().unwrap(), Sum { amount: decimal(10), rounded: false, partial: true });
        assert!(points.spent().unwrap().partial);
    }

    #[test]
    fn a_failed_read_is_unknown_and_never_zero() {
        let mut points = points(vec![]);
        assert_eq!(points.earned(), Some(Sum::default()));
        points.read = PointsRead::Incomplete("page 2 did not load".into());
        assert!(points.earned().unwrap().partial);
        points.read = PointsRead::Unknown("signed out".into());
        assert_eq!((points.earned(), points.spent()), (None, None));
    }

    #[test]
    fn amounts_beyond_all_numbers_do_not_panic() {
        let mut points = points(vec![row("a", 1), row("b", 1)]);
        for row in &mut points.rows {
            row.amount = Amount::Number(Number { value: Decimal::MAX, rounded: false });
        }
        assert!(points.earned().unwrap().partial);
        points.expected = vec![expected("a", 1)];
        points.rows[1].title = "a".into();
        assert_eq!(points.reconcile()[0].1, Credit::Unknown);
    }

    #[test]
    fn what_was_expected_is_reconciled_with_what_was_credited() {
        let mut points = points(vec![row("签到", 10), row("发帖", 15), row("阅读", 2), row("阅读", 2)]);
        points.expected = vec![expected("签到", 10), expected("发帖", 20), expected("阅读", 4), expected("分享", 5)];
        let credits: Vec<Credit> = points.reconcile().into_iter().map(|(_, credit)| credit).collect();
        let credited = |value| Credit::Credited(decimal(value));
        assert_eq!(credits, [credited(10), credited(15), credited(4), Credit::Missing]);
    }

    #[test]
    fn one_row_serves_one_expectation() {
        let mut points = points(vec![row("签到", 10)]);
        points.expected = vec![expected("签到", 10), expected("签到", 10)];
        assert_eq!(points.reconcile()[1].1, Credit::Missing);
    }

    #[test]
    fn nothing_is_called_missing_from_a_list_that_was_not_read_to_its_end() {
        let mut points = points(vec![unreadable_row("签到", "?")]);
        points.expected = vec![expected("签到", 10), expected("阅读", 5)];
        points.read = PointsRead::Incomplete("20 pages".into());
        assert!(points.reconcile().iter().all(|(_, credit)| *credit == Credit::Unknown));
    }

    #[test]
    fn a_gap_is_stated_unless_a_balance_is_rounded() {
        let check = CrossCheck { before: number(100, false), now: number(165, false), rows: decimal(60) };
        assert_eq!(check.gap(), Some(decimal(5)));
        assert_eq!(CrossCheck { rows: decimal(65), ..check }.gap(), None);
        assert_eq!(CrossCheck { now: number(12000, true), ..check }.gap(), None);
    }
}
