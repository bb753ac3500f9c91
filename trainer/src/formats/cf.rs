//! Times as the climate and forecast conventions write them: a number, and `hours since 1900-01-01 00:00:0.0` beside it.
//!
//! Everything becomes whole seconds since 1970-01-01 UTC, so that files with different units can be compared.

use anyhow::{Context, Result, anyhow, bail, ensure};

const DAY_SECONDS: i64 = 86_400;
/// The first day of the Gregorian calendar; in the standard calendar, dates before it are Julian.
const FIRST_GREGORIAN: (i64, u32, u32) = (1582, 10, 15);
/// The last day before it.
const LAST_JULIAN: (i64, u32, u32) = (1582, 10, 4);
/// Years that are taken for a date; more would be a slip, and could overflow.
const MAX_YEAR: i64 = 99_999;

/// What a number on a time axis means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    /// Seconds since 1970 of the number 0.
    origin: f64,
    /// Seconds of the number 1.
    length: f64,
}

impl TimeUnit {
    /// Seconds since 1970, to the nearest whole one. What is not a number gives `i64::MIN`, which is a time of no file.
    pub fn seconds(&self, value: f64) -> i64 {
        let seconds = (value * self.length + self.origin).round();
        if seconds.is_nan() {
            i64::MIN
        } else {
            seconds as i64
        }
    }
}

/// Reads units such as `hours since 1900-01-01 00:00:0.0`, `days since 2000-01-01` or `seconds since 1970-01-01T00:00:00Z`.
///
/// Calendars with years that no clock has (`noleap`, `360_day`, …) are refused.
pub fn seconds_from(units: &str, calendar: Option<&str>) -> Result<TimeUnit> {
    let mixed = match calendar
        .unwrap_or("standard")
        .trim()
        .to_ascii_lowercase()
        .as_str()
    {
        "standard" | "gregorian" | "" => true,
        "proleptic_gregorian" => false,
        other => bail!(
            "the calendar of time is `{other}`, but standard or proleptic_gregorian is wanted"
        ),
    };
    let mut words = units.trim().splitn(3, char::is_whitespace);
    let (Some(word), Some(since), Some(date)) = (words.next(), words.next(), words.next()) else {
        bail!(
            "the unit of time is `{units}`, but something like `hours since 1900-01-01` is wanted"
        );
    };
    ensure!(
        since.eq_ignore_ascii_case("since"),
        "the unit of time is `{units}`, but something like `hours since 1900-01-01` is wanted"
    );
    let length = length_of(word)
        .with_context(|| format!("the unit of time is `{units}`, which cannot be used"))?;
    let origin = instant(date, mixed).with_context(|| format!("the unit of time is `{units}`"))?;
    Ok(TimeUnit { origin, length })
}

/// Seconds since 1970 of `2011-01-01`, `2011-01-01T06`, `2011-01-01 06:30` or `2011-01-01T06:30:00Z`, in UTC.
pub fn parse_date(text: &str) -> Result<i64> {
    let seconds = instant(text, false)?;
    ensure!(
        seconds.fract() == 0.0,
        "the date `{text}` has a part of a second, but whole seconds are wanted"
    );
    Ok(seconds as i64)
}

/// The date in UTC, like `2011-01-01T06:00`; with seconds where there are any.
pub fn format_date(seconds: i64) -> String {
    let (year, month, day) = civil_from_days(seconds.div_euclid(DAY_SECONDS));
    let rest = seconds.rem_euclid(DAY_SECONDS);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}");
    if second == 0 {
        text
    } else {
        format!("{text}:{second:02}")
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, which is taken to have always been in use.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years that begin in March: the leap day is their last.
    let year = if month <= 2 { year - 1 } else { year };
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + day_of_march_year(month, day)
        - 719_468
}

/// The date that many days after 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days from 1970-01-01 to a date of the Julian calendar.
fn days_from_julian(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    365 * year + year.div_euclid(4) + day_of_march_year(month, day) - 719_470
}

fn day_of_march_year(month: u32, day: u32) -> i64 {
    (153 * i64::from((month + 9) % 12) + 2) / 5 + i64::from(day) - 1
}

fn length_of(word: &str) -> Result<f64> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "d" | "day" | "days" => DAY_SECONDS as f64,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "min" | "mins" | "minute" | "minutes" => 60.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => 1e-3,
        "us" | "microsecond" | "microseconds" => 1e-6,
        "ns" | "nanosecond" | "nanoseconds" => 1e-9,
        "month" | "months" | "year" | "years" => {
            bail!(
                "months and years have no fixed length: days, hours, minutes or seconds are wanted"
            )
        }
        _ => bail!("`{word}` is none of days, hours, minutes and seconds"),
    })
}

/// Seconds since 1970 of a date and time, with parts of a second.
fn instant(text: &str, mixed: bool) -> Result<f64> {
    let wrong = || anyhow!("`{text}` is not a date like 2011-01-01 or 2011-01-01T06:00");
    let text = text.trim();
    let (date, clock) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text.strip_suffix(['Z', 'z']).unwrap_or(text), ""),
    };
    // A year before the first begins with a minus sign, which separates nothing.
    let (sign, digits) = match date.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, date),
    };
    let mut parts = digits.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(wrong());
    };
    let year = sign * i64::from(whole(year, 0, MAX_YEAR as u32).ok_or_else(wrong)?);
    let month = whole(month, 1, 12).ok_or_else(wrong)?;
    let day = whole(day, 1, 31).ok_or_else(wrong)?;
    let date = (year, month, day);
    let julian = mixed && date < FIRST_GREGORIAN;
    ensure!(
        !julian || date <= LAST_JULIAN,
        "`{text}` is one of the ten days of October 1582 that the standard calendar leaves out"
    );
    let days_from = if julian {
        days_from_julian
    } else {
        days_from_civil
    };
    let days = days_from(year, month, day);
    let (next_year, next_month) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    ensure!(
        days < days_from(next_year, next_month, 1),
        "`{text}` is not a date: month {month} of {year} has no day {day}"
    );
    Ok((days * DAY_SECONDS) as f64 + clock_seconds(clock).ok_or_else(wrong)?)
}

/// Seconds of `06`, `06:30`, `6:30:15.5`, with a zone such as `Z`, `UTC`, `+01:00` or `-6` behind it.
fn clock_seconds(text: &str) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    let (clock, zone) = match text.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')) {
        Some(at) => (&text[..at], text[at..].trim()),
        None => (text, ""),
    };
    if clock.is_empty() {
        return zone_seconds(zone).map(|ahead| -ahead);
    }
    let mut parts = clock.split(':');
    let hour = whole(parts.next()?, 0, 23)?;
    let minute = parts.next().map_or(Some(0), |part| whole(part, 0, 59))?;
    let second = match parts.next() {
        Some(part) if part.starts_with(|c: char| c.is_ascii_digit()) => part.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    if parts.next().is_some() || second >= 60.0 {
        return None;
    }
    Some(f64::from(hour * 3600 + minute * 60) + second - zone_seconds(zone)?)
}

/// How far the clocks of a zone are ahead of UTC.
fn zone_seconds(zone: &str) -> Option<f64> {
    let (sign, digits) = match zone.to_ascii_uppercase().as_str() {
        "" | "Z" | "UTC" | "GMT" => return Some(0.0),
        _ if zone.starts_with('+') => (1.0, &zone[1..]),
        _ if zone.starts_with('-') => (-1.0, &zone[1..]),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(both) => both,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    Some(sign * f64::from(whole(hours, 0, 15)? * 3600 + whole(minutes, 0, 59)? * 60))
}

/// A number of digits only, between two bounds.
fn whole(text: &str, low: u32, high: u32) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    (low..=high).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests;
