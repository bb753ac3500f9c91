//! Today's date for provenance, without a calendar library.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today (UTC) as `YYYY-MM-DD`; the day of `SOURCE_DATE_EPOCH` if that is set, as reproducible builds do it.
pub fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH");
    let given = given.ok().and_then(|secs| secs.parse().ok());
    let secs = given.unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |d| d.as_secs())
    });
    let (year, month, day) = civil_from_days(secs / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Gregorian date of a day counted from 1970-01-01.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::civil_from_days;

    #[test]
    fn known_days_have_their_dates() {
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(civil_from_days(11_016), (2000, 2, 29));
        assert_eq!(civil_from_days(20_773), (2026, 11, 16));
    }
}
