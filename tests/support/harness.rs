//! A small test harness that speaks as cargo's own does, for tests that are found on disk.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::Trouble;

/// A test.
pub(crate) struct Test {
    /// Its name, `::` between the parts.
    pub(crate) name: String,
    /// What it does.
    pub(crate) run: Box<dyn Fn() -> Result<(), Trouble> + Send + Sync>,
}

impl Test {
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl Fn() -> Result<(), Trouble> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// What the command line asks for, as far as it matters here; the rest is passed over.
#[derive(Default)]
struct Wanted {
    filters: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    list: bool,
    ignored: bool,
    threads: Option<usize>,
}

impl Wanted {
    fn parse(args: impl Iterator<Item = String>) -> Self {
        let mut wanted = Self::default();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--exact" => wanted.exact = true,
                "--list" => wanted.list = true,
                "--ignored" => wanted.ignored = true,
                "--skip" => wanted.skip.extend(args.next()),
                "--test-threads" => wanted.threads = args.next().and_then(|n| n.parse().ok()),
                "--format" | "--color" | "--logfile" | "-Z" => drop(args.next()),
                option if option.starts_with('-') => {}
                _ => wanted.filters.push(arg),
            }
        }
        wanted
    }

    fn holds(&self, name: &str) -> bool {
        let fits = |word: &String| {
            if self.exact {
                name == word
            } else {
                name.contains(word.as_str())
            }
        };
        !self.ignored
            && (self.filters.is_empty() || self.filters.iter().any(fits))
            && !self.skip.iter().any(fits)
    }
}

/// Runs the tests that the command line asks for.
pub(crate) fn main(tests: Vec<Test>) -> ExitCode {
    let wanted = Wanted::parse(std::env::args().skip(1));
    let all = tests.len();
    let tests: Vec<Test> = tests
        .into_iter()
        .filter(|test| wanted.holds(&test.name))
        .collect();
    if wanted.list {
        for test in &tests {
            println!("{}: test", test.name);
        }
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", tests.len());
    let begun = Instant::now();
    let failures = run(&tests, wanted.threads);
    for (name, why) in &failures {
        println!("\n---- {name} ----\n{why}");
    }
    if !failures.is_empty() {
        println!("\nfailures:");
        for (name, _) in &failures {
            println!("    {name}");
        }
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        if failures.is_empty() { "ok" } else { "FAILED" },
        tests.len() - failures.len(),
        failures.len(),
        all - tests.len(),
        begun.elapsed().as_secs_f64()
    );
    if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(101)
    }
}

fn run(tests: &[Test], threads: Option<usize>) -> Vec<(String, String)> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let usual = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.unwrap_or(usual).max(1) {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = catch_unwind(AssertUnwindSafe(|| (test.run)()));
                    let why = match done {
                        Ok(Ok(())) => None,
                        Ok(Err(why)) => Some(why.0),
                        Err(_) => Some("it panicked".to_owned()),
                    };
                    let word = if why.is_none() { "ok" } else { "FAILED" };
                    println!("test {} ... {word}", test.name);
                    let _gone = std::io::stdout().flush();
                    if let (Some(why), Ok(mut failures)) = (why, failures.lock()) {
                        failures.push((test.name.clone(), why));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap_or_default();
    failures.sort();
    failures
}
