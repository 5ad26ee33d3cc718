//! The points of one account: rows as the server lists them, sums, what is missing.

use serde::Serialize;

use super::Tone;
use super::phrases::{Phrases, plain, signed};
use crate::report::model::{AccountPoints, Amount, CrossCheck, Expected, PointRow, PointsRead};
use crate::report::points::Credit;
use crate::values::Number;

/// One account's points.
#[derive(Debug, Serialize)]
pub(super) struct PointsView {
    title: String,
    totals: Vec<Total>,
    rows: Vec<RowView>,
    remarks: Vec<Remark>,
}

/// Earned, spent or balance.
#[derive(Debug, Serialize)]
struct Total {
    label: String,
    value: String,
}

#[derive(Debug, Serialize)]
struct RowView {
    time: String,
    title: String,
    amount: String,
    mark: Option<String>,
    tone: Tone,
}

#[derive(Debug, Serialize)]
struct Remark {
    text: String,
    tone: Tone,
}

impl PointsView {
    /// These points in the report with this number; only follow-ups mark the rows that are new.
    pub(super) fn of(points: &AccountPoints, number: u32, phrases: &Phrases<'_>) -> PointsView {
        let mut title = format!("{} · {}", points.site, points.account);
        if points.day != phrases.date {
            title.push_str(&format!(" · {}", points.day));
        }
        PointsView {
            title,
            totals: totals(points, phrases),
            rows: points.rows.iter().map(|row| RowView::of(row, number > 1, phrases)).collect(),
            remarks: remarks(points, phrases),
        }
    }
}

impl RowView {
    fn of(row: &PointRow, mark_new: bool, phrases: &Phrases<'_>) -> RowView {
        let words = phrases.words;
        let (amount, mark, tone) = match &row.amount {
            Amount::Number(number) => {
                let mark = number.rounded.then(|| words.get("points-rounded"));
                let tone = if number.value.is_sign_negative() { Tone::Quiet } else { Tone::Good };
                (signed(number.value), mark, tone)
            }
            Amount::Unreadable(raw) => {
                (words.with("points-unreadable", &[("raw", raw.as_str().into())]), None, Tone::Attention)
            }
        };
        let new = (mark_new && row.new).then(|| words.get("row-new"));
        RowView {
            time: row.time.map(|at| phrases.time(at)).unwrap_or_default(),
            title: row.title.clone(),
            amount,
            mark: mark.or(new),
            tone,
        }
    }
}

/// What came in, what went out if anything did, and the balance.
fn totals(points: &AccountPoints, phrases: &Phrases<'_>) -> Vec<Total> {
    let total = |key: &str, value: String| Total { label: phrases.words.get(key), value };
    let mut totals = vec![total("points-earned", phrases.sum(points.earned()))];
    if let Some(spent) = points.spent().filter(|sum| !sum.amount.is_zero()) {
        totals.push(total("points-spent", phrases.magnitude(spent)));
    }
    if let Some(balance) = points.balance {
        totals.push(total("points-balance", balance_text(balance, phrases)));
    }
    totals
}

fn balance_text(balance: Number, phrases: &Phrases<'_>) -> String {
    let amount = plain(balance.value);
    if balance.rounded { phrases.words.with("sum-rounded", &[("amount", amount.into())]) } else { amount }
}

/// How far the list was read, what is unreadable, what was expected, and whether the balance fits.
fn remarks(points: &AccountPoints, phrases: &Phrases<'_>) -> Vec<Remark> {
    let words = phrases.words;
    let mut remarks = Vec::new();
    match &points.read {
        PointsRead::Complete if points.rows.is_empty() => {
            remarks.push(Remark { text: words.get("points-nothing"), tone: Tone::Quiet });
        }
        PointsRead::Complete => {}
        PointsRead::Incomplete(reason) => remarks.push(Remark {
            text: words.with("points-incomplete", &[("reason", reason.as_str().into())]),
            tone: Tone::Attention,
        }),
        PointsRead::Unknown(reason) => remarks.push(Remark {
            text: words.with("points-unread", &[("reason", reason.as_str().into())]),
            tone: Tone::Attention,
        }),
    }
    let unreadable = points.rows.iter().filter(|row| matches!(row.amount, Amount::Unreadable(_))).count();
    if unreadable > 0 {
        let text = words.with("points-unreadable-count", &[("count", unreadable.into())]);
        remarks.push(Remark { text, tone: Tone::Attention });
    }
    remarks.extend(credit_remarks(points, phrases));
    if let Some((check, gap)) = points.cross_check.and_then(|check| Some((check, check.gap()?))) {
        remarks.push(gap_remark(check, gap, phrases));
    }
    remarks
}

/// One line for all that came as expected, and one for each that did not.
fn credit_remarks(points: &AccountPoints, phrases: &Phrases<'_>) -> Vec<Remark> {
    let (credited, others): (Vec<_>, Vec<_>) =
        points.reconcile().into_iter().partition(|(expected, credit)| *credit == Credit::Credited(expected.points));
    let mut remarks: Vec<Remark> =
        others.into_iter().map(|(expected, credit)| credit_remark(expected, credit, phrases)).collect();
    if !credited.is_empty() {
        let text = phrases.words.with("points-credited", &[("count", credited.len().into())]);
        remarks.insert(0, Remark { text, tone: Tone::Good });
    }
    remarks
}

fn credit_remark(expected: &Expected, credit: Credit, phrases: &Phrases<'_>) -> Remark {
    let mut args = vec![("task", expected.task.as_str().into()), ("expected", signed(expected.points).into())];
    let (key, tone) = match credit {
        Credit::Credited(amount) => {
            args.push(("credited", signed(amount).into()));
            ("points-differs", Tone::Bad)
        }
        Credit::Missing => ("points-missing", Tone::Bad),
        Credit::Unknown => ("points-not-known", Tone::Attention),
    };
    Remark { text: phrases.words.with(key, &args), tone }
}

fn gap_remark(check: CrossCheck, gap: rust_decimal::Decimal, phrases: &Phrases<'_>) -> Remark {
    let args = [
        ("before", plain(check.before.value).into()),
        ("now", plain(check.now.value).into()),
        ("rows", signed(check.rows).into()),
        ("gap", signed(gap).into()),
    ];
    Remark { text: phrases.words.with("points-gap", &args), tone: Tone::Attention }
}
