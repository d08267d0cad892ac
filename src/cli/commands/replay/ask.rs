//! From the command line to the request for a replay.

use std::os::unix::ffi::OsStrExt as _;

use crate::cli::args::{IsolationArgs, Repeat, ReplayArgs, RunnerArgs};
use crate::cli::prelude::*;
use crate::model::{
    IsolationAsk, Mutation, OwnMetric, ReplayFrom, Resolution, Resolved, RunnerAsk,
};
use crate::text::format::split_words;
use crate::text::is_digits;

/// The request; paths are relative to the current directory.
pub(super) fn ask(session: &Session, args: &ReplayArgs) -> Result<ReplayAsk> {
    let cwd = &session.request.cwd;
    let mutations = args.mutate.iter().map(|word| mutation(word, cwd));
    let resolutions = args.resolve.iter().map(|word| {
        let (seq, how) = split(word);
        let how = match how.as_bytes() {
            b"replacement" => Resolved::Replacement,
            b"original" => Resolved::Original,
            _ => Resolved::Edited(session.engine.edited(cwd, Path::new(how))?),
        };
        Ok(Resolution { seq, how })
    });
    let Repeat::Blocks(repeat) = args.repeat else {
        let text = "--repeat +N adds blocks to an existing experiment.";
        return Err(EngineError::usage(text)
            .hint("Omit --mutate, or name the experiment: --continue EXPERIMENT --repeat +5"));
    };
    Ok(ReplayAsk {
        mutations: mutations.collect::<Result<_, _>>()?,
        templates: args.templates.as_ref().map(|dir| cwd.join(dir)),
        template_ref: args.template_ref.clone(),
        from: from(args),
        runner: runner(&args.runner),
        timeout_s: args.runner.timeout,
        retries: args.runner.retries,
        jobs: usize::from(args.jobs),
        repeat: usize::from(repeat),
        no_control: args.no_control,
        all: args.all,
        fresh: args.fresh,
        parallel: usize::from(args.parallel),
        on: args.on,
        metrics: metrics(session, args)?,
        in_place: args.in_place,
        resolutions: resolutions.collect::<Result<_, _>>()?,
        isolation: isolation(&args.isolation)?,
    })
}

/// The metrics: commands from the command line, and metrics of the configuration by name.
fn metrics(session: &Session, args: &ReplayArgs) -> Result<Vec<OwnMetric>> {
    let configured = &session.engine.settings().metrics;
    let usage = EngineError::usage;
    let one = |word: &String| {
        if word.contains('=') {
            return OwnMetric::parse(word).map_err(|why| {
                usage(why).hint(r#"Example: --metric lines="sh -c 'wc -l < out.txt'""#)
            });
        }
        let found = configured.iter().find(|one| one.name == *word);
        found.cloned().ok_or_else(|| {
            let error = usage(format!("The configuration has no [[metric]] named {word}."))
                .hint(format!("To give its command here: --metric {word}=CMD"));
            let names = list(configured.iter().map(|one| &one.name));
            error.hints((!names.is_empty()).then(|| format!("It has {names}.")))
        })
    };
    let mut metrics = args.metric.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    for (at, metric) in metrics.iter().enumerate() {
        let mut before = metrics.iter().take(at);
        if before.any(|other| other.name == metric.name) {
            return Err(usage(format!("Two metrics are called {}.", metric.name)));
        }
    }
    for name in &args.primary {
        let found = metrics.iter_mut().find(|one| one.name == *name);
        let missing = || usage(format!("--primary {name} names no --metric."));
        found.ok_or_else(missing)?.primary = true;
    }
    Ok(metrics)
}

fn from(args: &ReplayArgs) -> ReplayFrom {
    match (&args.from_phase, args.from_seq) {
        (Some(phase), _) => ReplayFrom::Phase(phase.clone()),
        (None, Some(seq)) => ReplayFrom::Seq(seq),
        (None, None) => ReplayFrom::FirstAffected,
    }
}

fn runner(args: &RunnerArgs) -> RunnerAsk {
    match &args.preset {
        Some(name) => RunnerAsk::Preset(name.clone()),
        None if args.no_runner => RunnerAsk::Nobody,
        None if args.command.is_empty() => RunnerAsk::Configured,
        None => RunnerAsk::Words(args.command.clone()),
    }
}

fn isolation(args: &IsolationArgs) -> Result<IsolationAsk> {
    let setup = args.setup.as_deref().map(split_words).transpose();
    let setup = setup.map_err(|why| EngineError::usage(format!("--setup: {why}.")))?;
    if setup.as_ref().is_some_and(Vec::is_empty) {
        return Err(EngineError::usage("--setup names no program."));
    }
    let setup = setup.into_iter().flatten().map(OsString::from);
    Ok(IsolationAsk {
        sandbox: args.sandbox,
        keep_paths: args.keep_paths,
        setup: setup.collect(),
    })
}

/// `ORIGINAL=REPLACEMENT`, split at the first `=`.
fn mutation(word: &OsStr, cwd: &Path) -> Result<Mutation> {
    match halves(word) {
        Some((original, replacement)) if !original.is_empty() && !replacement.is_empty() => {
            Ok(Mutation {
                original: Foreign::from(original),
                replacement: cwd.join(OsStr::from_bytes(replacement)),
            })
        }
        Some(_) | None => {
            let word = Foreign::from(word).clean();
            let text = format!("--mutate {word} is not ORIGINAL=REPLACEMENT.");
            Err(EngineError::usage(text)
                .hint("Example: --mutate red-team-prompt.md=./red-team-v2.md"))
        }
    }
}

/// What is before the first `=` of a word and after it.
fn halves(word: &OsStr) -> Option<(&[u8], &[u8])> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

/// `SEQ=HOW`, or `HOW` for every other conflict. A file whose name begins with digits and `=` needs `./` before it.
fn split(word: &OsStr) -> (Option<u64>, &OsStr) {
    let of_one = halves(word).and_then(|(seq, how)| {
        let seq = std::str::from_utf8(seq).ok().filter(|seq| is_digits(seq))?;
        Some((Some(seq.parse().ok()?), OsStr::from_bytes(how)))
    });
    of_one.unwrap_or((None, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutation_is_split_at_the_first_equals_sign() {
        let table: &[(&str, Option<(&str, &str)>)] = &[
            ("a.md=b.md", Some(("a.md", "/here/b.md"))),
            ("a.md=/x/b=c.md", Some(("a.md", "/x/b=c.md"))),
            ("a.md=", None),
            ("=b.md", None),
            ("a.md", None),
            ("", None),
        ];
        for (word, expected) in table {
            let found = mutation(OsStr::new(word), Path::new("/here"));
            let expected = expected.map(|(original, replacement)| Mutation {
                original: original.into(),
                replacement: replacement.into(),
            });
            match found {
                Err(error) => {
                    assert_eq!((expected, error.kind), (None, ErrorKind::Usage), "{word}");
                }
                Ok(found) => assert_eq!(Some(found), expected, "{word}"),
            }
        }
    }

    #[test]
    fn a_resolution_may_name_its_dispatch() {
        let table = [
            ("replacement", None, "replacement"),
            ("7=original", Some(7), "original"),
            ("7=./a=b.md", Some(7), "./a=b.md"),
            ("./7=b.md", None, "./7=b.md"),
            ("x=original", None, "x=original"),
            ("=original", None, "=original"),
            (
                "99999999999999999999=original",
                None,
                "99999999999999999999=original",
            ),
        ];
        for (word, seq, how) in table {
            assert_eq!(split(OsStr::new(word)), (seq, OsStr::new(how)), "{word}");
        }
    }
}
