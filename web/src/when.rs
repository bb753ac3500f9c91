//! Times of real cases: hours since 1970, UTC.

/// Names of the months as people shorten them.
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// The first of January 1970 was a Thursday.
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// An hour, counted from the beginning of 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hour(i64);

impl Hour {
    /// Reads `2014-02-24T00:00`, or a day alone; minutes must be zero.
    pub fn parse(text: &str) -> Option<Self> {
        let (day, clock) = text.split_once('T').unwrap_or((text, "00:00"));
        let mut parts = day.split('-');
        let year: i64 = number(parts.next()?, 4)?;
        let (month, day) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
        let (hour, minute) = clock.split_once(':')?;
        let (hour, minute) = (number(hour, 2)?, number(minute, 2)?);
        if parts.next().is_some() || minute != 0 || hour > 23 || !(1..=12).contains(&month) {
            return None;
        }
        let found = Self(24 * days(year, month, day) + hour);
        // A day that the month does not have would be one of the next.
        (found.date() == (year, month, day)).then_some(found)
    }

    /// So many hours later.
    #[must_use]
    pub fn after(self, hours: f64) -> Self {
        Self(self.0 + hours.round() as i64)
    }

    fn date(self) -> (i64, i64, i64) {
        // Howard Hinnant's civil_from_days: years that begin in March, in eras of 400 of them.
        let shifted = self.0.div_euclid(24) + 719_468;
        let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let of_month = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (era * 400 + year + i64::from(month <= 2), month, of_month)
    }

    /// `Wed 26 Feb 2014, 12:00 UTC`.
    pub fn words(self) -> String {
        format!("{}, {:02}:00 UTC", self.day(), self.0.rem_euclid(24))
    }

    /// `Wed 26 Feb 2014`.
    pub fn day(self) -> String {
        let (year, month, day) = self.date();
        let name = DAYS[self.0.div_euclid(24).rem_euclid(7) as usize];
        format!("{name} {day} {} {year}", MONTHS[(month - 1) as usize])
    }
}

/// A number of so many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Days from the beginning of 1970 to a date (Howard Hinnant's days_from_civil).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_read_out() {
        let start = Hour::parse("2014-02-24T00:00").expect("a time");
        assert_eq!(start.words(), "Mon 24 Feb 2014, 00:00 UTC");
        assert_eq!(start.after(114.0).words(), "Fri 28 Feb 2014, 18:00 UTC");
        assert_eq!(start.after(120.0).day(), "Sat 1 Mar 2014");
        assert_eq!(Hour::parse("1970-01-01"), Some(Hour(0)));
        assert_eq!(Hour(0).day(), "Thu 1 Jan 1970");
        let leap = Hour::parse("2000-02-29T23:00").expect("a leap day");
        assert_eq!(leap.after(1.0).words(), "Wed 1 Mar 2000, 00:00 UTC");
        assert_eq!(Hour(-1).words(), "Wed 31 Dec 1969, 23:00 UTC");
    }

    #[test]
    fn what_is_no_hour_is_refused() {
        for text in [
            "",
            "2014",
            "2014-02-30",
            "2014-13-01",
            "2014-2-24",
            "2014-02-24T24:00",
            "2014-02-24T06:30",
            "2014-02-24-01",
            "2014-02-24T+6:00",
        ] {
            assert_eq!(Hour::parse(text), None, "{text}");
        }
    }
}
