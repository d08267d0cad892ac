//! When a usage limit resets, from the text of an error line. The wording has changed every few months since 2025, so
//! only the time is searched for.

use chrono::{
    DateTime, Datelike as _, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
    TimeZone as _, Weekday,
};
use chrono_tz::Tz;

use crate::model::{LocalTime, Stamp, Zone};
use crate::world::clock::InZone;

/// How many characters of a reset that was not understood are shown.
const LONGEST: usize = 40;
/// The verbs before a reset, and whether a time follows them without a word between.
const VERBS: &[(&str, bool)] = &[
    ("resets", true),
    ("reset", false),
    ("try again", false),
    ("restored", false),
    ("available again", false),
];
/// The words between such a verb and the time.
const BETWEEN: &[&str] = &["at", "on", "after", "in", "by"];

/// A reset as a text records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::conversations) enum Reset {
    /// The moment.
    At(Stamp),
    /// The words of the text, of which no moment can be made, and why.
    Unread {
        /// At most [`LONGEST`] letters, digits and signs of times.
        written: String,
        /// A relative clause.
        why: &'static str,
    },
}

impl Reset {
    /// The moment, if it is known.
    pub(in crate::conversations) fn at(&self) -> Option<Stamp> {
        match self {
            Self::At(stamp) => Some(*stamp),
            Self::Unread { .. } => None,
        }
    }
}

/// The reset in a text, relative to the time of its line: `resets 3pm`, `resets Oct 1, 11am (Europe/London)`,
/// `resets Mon 12:00am`, `resets 2026-08-09 00:00 UTC`, `try again in 2h 5m`, `…|1750000000`. `None` if the text has
/// none.
pub(in crate::conversations) fn reset(
    text: &str,
    said: Option<DateTime<FixedOffset>>,
    local: &dyn LocalTime,
) -> Option<Reset> {
    if let Some((_, epoch)) = text.rsplit_once('|')
        && let Ok(seconds) = epoch.trim().parse::<i64>()
    {
        return Stamp::from_unix(seconds).map(Reset::At);
    }
    let written = written(text)?;
    Some(
        moment(written, said, local).unwrap_or_else(|why| Reset::Unread {
            written: shown(written),
            why,
        }),
    )
}

/// The words after the last verb, to the end of their part of the sentence.
fn written(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let ends = VERBS.iter().flat_map(|(verb, alone)| {
        let places = lower.rmatch_indices(verb);
        places.filter_map(|(at, verb)| {
            let rest = text.get(at + verb.len()..)?;
            let words = rest.trim_start();
            let between = words.split_whitespace().next()?.to_ascii_lowercase();
            let between = BETWEEN.contains(&between.as_str());
            (words.len() < rest.len() && (*alone || between)).then_some(words)
        })
    });
    // What is shorter begins later.
    let mut rest = ends.min_by_key(|rest| rest.len())?;
    while let Some((word, more)) = rest.split_once(char::is_whitespace)
        && BETWEEN.contains(&word.to_ascii_lowercase().as_str())
    {
        rest = more.trim_start();
    }
    let mut open = false;
    let end = rest.char_indices().find(|(at, sign)| match sign {
        '(' => {
            open = true;
            false
        }
        ')' => !std::mem::take(&mut open),
        '.' => {
            let after = rest.get(at + 1..).unwrap_or_default();
            after.chars().next().is_none_or(char::is_whitespace)
        }
        _ => matches!(sign, '·' | '∙' | '|' | ';' | '\n'),
    });
    let part = rest.get(..end.map_or(rest.len(), |(at, _)| at))?.trim();
    (!part.is_empty()).then_some(part)
}

/// What of a text is shown: nothing but words and times.
fn shown(written: &str) -> String {
    let signs = written.chars().filter(|sign| {
        sign.is_ascii_alphanumeric()
            || matches!(sign, ' ' | ',' | ':' | '/' | '+' | '-' | '(' | ')' | '_')
    });
    signs.take(LONGEST).collect()
}

/// The moment that these words mean; else why they mean none.
fn moment(
    written: &str,
    said: Option<DateTime<FixedOffset>>,
    local: &dyn LocalTime,
) -> Result<Reset, &'static str> {
    const UNREAD: &str = "which relight cannot read";
    let said = said.ok_or("on a line without a time")?;
    let (before, zone) = match written.split_once('(') {
        Some((before, inside)) => (before, inside.split(')').next()),
        None => (written, None),
    };
    let words = before.split(|sign: char| sign.is_whitespace() || sign == ',');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if let Some(span) = span(&words) {
        let at = said.checked_add_signed(span).ok_or(UNREAD)?;
        return Ok(Reset::At(Stamp::stated(at)));
    }
    let (when, rest) = When::parse(&words).ok_or(UNREAD)?;
    let name = zone.or_else(|| rest.first().copied().filter(|word| is_zone(word)));
    let (at, zone) = match name {
        Some(name) => {
            let zone = named(name.trim()).ok_or("whose zone relight does not know")?;
            (when.after(said, &*zone), Zone::Stated)
        }
        None => (when.after(said, local), Zone::Assumed),
    };
    let at = at.ok_or(UNREAD)?;
    Ok(Reset::At(Stamp { at, zone }))
}

/// Whether a word after a time names its zone.
fn is_zone(word: &str) -> bool {
    let short = (1..=5).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_uppercase());
    short || named(word).is_some()
}

/// The zone of a name or an offset: `Europe/Paris`, `UTC`, `GMT+2`, `-05:30`. Most abbreviations mean several zones.
fn named(name: &str) -> Option<Box<dyn LocalTime>> {
    if let Some(offset) = offset(name) {
        return Some(Box::new(InZone(offset)));
    }
    let zone: Tz = name.parse().ok()?;
    Some(Box::new(InZone(zone)))
}

fn offset(name: &str) -> Option<FixedOffset> {
    let bare = ["UTC", "GMT", "Z"]
        .iter()
        .find_map(|utc| name.strip_prefix(utc));
    let text = bare.unwrap_or(name).trim();
    if text.is_empty() {
        return FixedOffset::east_opt(0);
    }
    let (east, digits) = match text.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => (-1, text.strip_prefix(['-', '\u{2212}'])?),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let known = (0..=14).contains(&hours) && (0..60).contains(&minutes);
    FixedOffset::east_opt(east * (hours * 3600 + minutes * 60)).filter(|_| known)
}

/// A span of time: `3 hours`, `2 days 4 hours`, `5m`, `120h58m47s`.
fn span(words: &[&str]) -> Option<TimeDelta> {
    let text = words.concat().to_ascii_lowercase();
    let mut rest = text.as_str();
    let mut seconds: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, more) = rest.split_at(digits);
        let letters = more.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, more) = more.split_at(letters);
        let unit = match unit {
            "d" | "day" | "days" => 86_400,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            _ => return None,
        };
        let number: i64 = number.parse().ok()?;
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = more;
    }
    TimeDelta::try_seconds(seconds).filter(|span| *span > TimeDelta::zero())
}

/// A time of day with its day, if given.
struct When {
    day: Day,
    time: NaiveTime,
}

enum Day {
    Next,
    Weekday(Weekday),
    OfYear { month: u32, day: u32 },
    Exact(NaiveDate),
}

impl When {
    /// A day, if there is one, and a time; with the words after them.
    fn parse<'a>(words: &'a [&'a str]) -> Option<(Self, &'a [&'a str])> {
        let (day, rest) = day(words);
        let rest = match rest.split_first() {
            Some((word, more)) if word.eq_ignore_ascii_case("at") => more,
            Some(_) | None => rest,
        };
        let (first, more) = rest.split_first()?;
        let half = more.first().copied().filter(|word| {
            ["am", "pm"]
                .iter()
                .any(|half| word.eq_ignore_ascii_case(half))
        });
        let time = time_of_day(&format!("{first}{}", half.unwrap_or_default()))?;
        Some((Self { day, time }, more.get(usize::from(half.is_some())..)?))
    }

    /// The first such moment at or after `said`. One with its year is that moment in any case.
    fn after(
        &self,
        said: DateTime<FixedOffset>,
        zone: &dyn LocalTime,
    ) -> Option<DateTime<FixedOffset>> {
        let today = zone.here(said.to_utc()).date_naive();
        let coming = |days| (0..days).filter_map(|more| today.checked_add_days(Days::new(more)));
        let days: Vec<NaiveDate> = match self.day {
            Day::Exact(date) => vec![date],
            Day::Next => coming(3).collect(),
            Day::Weekday(weekday) => coming(15).filter(|day| day.weekday() == weekday).collect(),
            Day::OfYear { month, day } => (0..5)
                .filter_map(|more| NaiveDate::from_ymd_opt(today.year() + more, month, day))
                .collect(),
        };
        let times = days
            .iter()
            .flat_map(|day| twice(zone, day.and_time(self.time)));
        let moments: Vec<_> = times.collect();
        let next = moments.iter().find(|at| **at >= said);
        let exact = moments.last().filter(|_| matches!(self.day, Day::Exact(_)));
        next.or(exact).copied()
    }
}

/// The moments at which clocks show a time: two where they are put back over it.
fn twice(zone: &dyn LocalTime, naive: NaiveDateTime) -> Vec<DateTime<FixedOffset>> {
    let first = zone.local(naive);
    let next_day = zone.here((first + TimeDelta::days(1)).to_utc());
    let again = next_day.offset().from_local_datetime(&naive).single();
    let again =
        again.filter(|again| *again > first && zone.here(again.to_utc()).naive_local() == naive);
    std::iter::once(first).chain(again).collect()
}

/// The day at the beginning of these words, and the words after it.
fn day<'a>(words: &'a [&'a str]) -> (Day, &'a [&'a str]) {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let rest = |from: usize| words.get(from..).unwrap_or_default();
    if let Ok(date) = NaiveDate::parse_from_str(word(0), "%Y-%m-%d") {
        return (Day::Exact(date), rest(1));
    }
    let dated = [(0, 1), (1, 0)].into_iter();
    let mut dated = dated.filter_map(|(at, of)| Some((month(word(at))?, number(word(of))?)));
    if let Some((month, day)) = dated.next() {
        let year = word(2).parse().ok().filter(|year| *year > 2000);
        return match year.and_then(|year| NaiveDate::from_ymd_opt(year, month, day)) {
            Some(date) => (Day::Exact(date), rest(3)),
            None => (Day::OfYear { month, day }, rest(2)),
        };
    }
    match word(0).parse() {
        Ok(weekday) => (Day::Weekday(weekday), rest(1)),
        Err(_) => (Day::Next, words),
    }
}

fn month(word: &str) -> Option<u32> {
    let month: chrono::Month = word.parse().ok()?;
    Some(month.number_from_month())
}

/// `1`, `26th`.
fn number(word: &str) -> Option<u32> {
    word.trim_end_matches(|sign: char| sign.is_ascii_alphabetic())
        .parse()
        .ok()
}

/// `6pm`, `11:30am`, `00:30`, `17:00:00`. A number alone is no time.
fn time_of_day(word: &str) -> Option<NaiveTime> {
    let word = word.to_ascii_lowercase();
    let half = ["am", "pm"].into_iter().find(|half| word.ends_with(half));
    let digits = half.map_or(word.as_str(), |half| word.trim_end_matches(half));
    let mut parts = digits.split(':').map(str::parse::<u32>);
    let hour = parts.next()?.ok()?;
    let minute = parts.next().transpose().ok()?;
    let second = parts.next().transpose().ok()?.unwrap_or(0);
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + if half == "pm" { 12 } else { 0 },
        None if minute.is_some() => hour,
        Some(_) | None => return None,
    };
    NaiveTime::from_hms_opt(hour, minute.unwrap_or(0), second).filter(|_| parts.next().is_none())
}
