//! How long to wait. Jitter is drawn from the key and the attempt, so that a fold gives the same times again.

use std::time::Duration;

use chrono::TimeDelta;

/// The longest duration that can be written in a task file. Doubled often enough it would lead beyond the end of the calendar.
const LONGEST: TimeDelta = TimeDelta::days(999_999);

/// The wait after failed attempt number `attempt` (from 1): `initial × 2^(attempt-1) + random(0, initial)`.
pub fn retry_gap(initial: Duration, attempt: u32, key: &str) -> TimeDelta {
    let doubled = initial.saturating_mul(1u32 << (attempt - 1).min(16));
    let jitter = initial.mul_f64(fraction(key, attempt));
    // Whole milliseconds, which is what the ledger keeps: a fold must give the very same due time.
    let milliseconds = (doubled + jitter).as_millis();
    let gap = i64::try_from(milliseconds).ok().and_then(TimeDelta::try_milliseconds);
    gap.map_or(LONGEST, |gap| gap.min(LONGEST))
}

/// The wait before verify number `verifies + 1`: quick at first, then at most a tenth of the settle time apart, and never
/// slower than every two minutes while settling.
pub fn verify_gap(verifies: u32, settle: Duration) -> TimeDelta {
    let slowest = (settle / 10).clamp(Duration::from_secs(5), Duration::from_secs(120));
    let gap = Duration::from_secs(2).saturating_mul(1u32 << verifies.saturating_sub(1).min(10));
    TimeDelta::from_std(gap.min(slowest)).unwrap_or(TimeDelta::minutes(2))
}

/// The wait while the site cannot be reached at all, which spends no attempt.
pub fn unreachable_gap(before: u32) -> TimeDelta {
    TimeDelta::seconds(i64::from(15 * (1u32 << before.min(5))).min(300))
}

/// A number in 0..1 that depends on nothing but its arguments (FNV-1a).
fn fraction(key: &str, attempt: u32) -> f64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in key.bytes().chain(attempt.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_and_the_jitter_is_less_than_the_first_wait() {
        let initial = Duration::from_secs(30);
        for attempt in 1..6 {
            let gap = retry_gap(initial, attempt, "2026-11-30:community/checkin@main").num_milliseconds();
            let least = 30_000 << (attempt - 1);
            assert!((least..least + 30_000).contains(&gap), "{attempt}: {gap}");
        }
        assert_ne!(retry_gap(initial, 1, "a"), retry_gap(initial, 1, "b"));
    }

    #[test]
    fn verifies_start_quickly_and_never_get_slower_than_two_minutes() {
        let settle = Duration::from_secs(7_200);
        assert_eq!(verify_gap(1, settle), TimeDelta::seconds(2));
        assert_eq!(verify_gap(40, settle), TimeDelta::seconds(120));
        assert_eq!(verify_gap(40, Duration::from_secs(60)), TimeDelta::seconds(6));
    }

    #[test]
    fn extreme_values_do_not_overflow() {
        let year = Duration::from_secs(365 * 86_400);
        assert!(retry_gap(year, u32::MAX, "key") > TimeDelta::zero());
        let now: chrono::DateTime<chrono::Utc> = "2026-11-30T00:00:00Z".parse().unwrap();
        let longest = LONGEST.to_std().unwrap();
        for attempt in [1, 8, 17, u32::MAX] {
            assert!(now.checked_add_signed(retry_gap(longest, attempt, "key")).is_some(), "{attempt}");
        }
        assert!(verify_gap(u32::MAX, year) > TimeDelta::zero());
        assert_eq!(unreachable_gap(u32::MAX), TimeDelta::seconds(300));
    }
}
