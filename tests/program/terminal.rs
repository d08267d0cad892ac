//! The binary in a pseudo-terminal: it starts, follows the size, writes nothing while idle, and restores the
//! terminal however it ends.

pub(crate) mod tty;

mod broken;
mod closed;
mod configured;
mod tasks;
mod writing;

mod tests {
    use std::path::Path;
    use std::sync::OnceLock;
    use std::time::Duration;

    use rustix::process::Signal;

    use super::broken::Broken;
    use super::tty::Tty;

    /// The sandbox, built once for all tests of this file.
    fn sandbox() -> &'static Path {
        static SANDBOX: OnceLock<tempfile::TempDir> = OnceLock::new();
        let dir = SANDBOX.get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            let built = std::process::Command::new(env!("CARGO_BIN_EXE_relight"))
                .args(["demo", "--no-console"])
                .arg(dir.path().join("demo"))
                .output()
                .unwrap();
            assert!(built.status.success(), "{built:?}");
            dir
        });
        dir.path()
    }

    fn open() -> Tty {
        open_on(&sandbox().join("demo"))
    }

    /// The console over a sandbox, once it has come to rest.
    fn open_on(demo: &Path) -> Tty {
        open_in(demo, "")
    }

    /// The same in a terminal that says this when it is asked. It is there before the question, so that no machine is
    /// too slow for it.
    fn open_in(demo: &Path, answers: &str) -> Tty {
        let mut tty = Tty::start(
            env!("CARGO_BIN_EXE_relight"),
            &[demo.to_str().unwrap()],
            demo,
            100,
            30,
        );
        tty.keys(answers);
        tty.wait("the list", |screen| {
            let text = screen.contents();
            text.contains("interrupted")
                && text.contains("scope paths")
                && !text.contains("looking")
        });
        // The preview of the selected row is the last thing that is asked.
        tty.wait("the preview", |screen| {
            screen.contents().contains("│ resume ")
        });
        tty
    }

    #[test]
    fn it_starts_shows_and_quits_and_the_terminal_is_as_before() {
        let mut tty = open();
        assert!(tty.screen(|screen| screen.alternate_screen() && screen.hide_cursor()));
        tty.keys("q");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
    }

    /// What is interrupted has the color of warnings in the palette that fits the background.
    #[test]
    fn it_asks_for_the_background_and_takes_no_answer_for_keys() {
        let table = [
            ("\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?62;22c", 58),
            ("\x1b]11;rgb:0000/2b2b/3636\x1b\\\x1b[?62;22c", 221),
            ("\x1b[?62;22c", 3),
        ];
        for (answers, expected) in table {
            let mut tty = open_in(&sandbox().join("demo"), answers);
            let color = tty.screen(|screen| {
                let rows = screen.rows(0, 100).collect::<Vec<_>>();
                // The first such row is selected.
                let row = rows
                    .iter()
                    .rposition(|row| row.starts_with(" ■ interrupted"));
                let row = u16::try_from(row.unwrap()).unwrap();
                screen.cell(row, 3).unwrap().fgcolor()
            });
            assert_eq!(color, vt100::Color::Idx(expected), "{answers:?}");
            tty.keys("q");
            assert_eq!(tty.ended(), Some(0));
        }
    }

    /// What commands print: links only on a terminal that is known to open them, and never where nothing is colored.
    #[test]
    fn files_that_a_command_names_are_links_where_the_terminal_opens_them() {
        let demo = sandbox().join("demo");
        let root = demo.join("projects/notes");
        let linked = format!("{}\x1b\\", root.display());
        let run = |set: &[&str], args: &[&str]| {
            let program = env!("CARGO_BIN_EXE_relight");
            let clean = ["-u", "VTE_VERSION", "-u", "FORCE_HYPERLINK"];
            let args = [&clean, set, &[program, "show", "mgw-57"], args].concat();
            Tty::start("env", &args, &demo, 100, 30).written()
        };
        let known = ["TERM_PROGRAM=WezTerm"];
        let said = run(&known, &[]);
        assert!(said.contains("\x1b]8;;file://"), "{said}");
        assert!(said.contains(&linked), "{said}");
        for (set, args) in [
            (&["TERM_PROGRAM=other"][..], &[][..]),
            (&["TERM_PROGRAM=WezTerm", "NO_COLOR=1"], &[]),
            (&["TERM_PROGRAM=WezTerm", "TERM=dumb"], &[]),
            (&known, &["--color", "never"]),
            (&known, &["--json"]),
        ] {
            let said = run(set, args);
            assert!(said.contains("projects/notes"), "{said}");
            assert!(!said.contains("\x1b]8;"), "{set:?} {args:?}: {said}");
        }
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_relight"))
            .args(["show", "mgw-57", "--color", "always"])
            .current_dir(&demo)
            .env("TERM_PROGRAM", "WezTerm")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("\x1b[1m"), "{said}");
        assert!(!said.contains("\x1b]8;"), "{said}");
    }

    #[test]
    fn it_leads_to_a_plan_and_back() {
        let mut tty = open();
        tty.keys("\r");
        tty.wait("the panes", |screen| {
            screen.contents().contains("Verification")
        });
        tty.keys("r");
        tty.wait("the points", |screen| {
            screen.contents().contains("VERIFIED")
        });
        tty.keys("\r");
        tty.wait("the plan", |screen| {
            screen.contents().contains("fingerprint")
        });
        tty.keys("\x1b");
        tty.wait("the points again", |screen| {
            screen.contents().contains("VERIFIED")
        });
        tty.keys("qqq");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
    }

    /// A sandbox of its own, for what writes.
    fn own_sandbox() -> tempfile::TempDir {
        let dir = crate::support::temporary::directory();
        let built = std::process::Command::new(env!("CARGO_BIN_EXE_relight"))
            .args(["demo", "--no-console"])
            .arg(dir.path().join("demo"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{built:?}");
        dir
    }

    #[test]
    fn a_plan_is_applied_undone_and_redone_by_hand() {
        let dir = own_sandbox();
        let demo = dir.path().join("demo");
        let file = demo.join("projects/shop/src/price.rs");
        let before = std::fs::read(&file).unwrap();
        let mut tty = open_on(&demo);
        tty.keys("/crucible\r");
        tty.wait("one pipeline", |screen| {
            screen.contents().contains("filtered out")
        });
        tty.keys("p");
        tty.wait("the plan", |screen| {
            screen.contents().contains("All guards are ok")
        });
        // Everything but the word is no.
        for no in ["\r", "n", "y\r", "\x1b"] {
            tty.keys("A");
            tty.wait("the question", |screen| {
                screen.contents().contains("Apply this plan?")
            });
            tty.keys(no);
            tty.wait("the answer", |screen| {
                screen.contents().contains("nothing was changed")
            });
        }
        assert_eq!(std::fs::read(&file).unwrap(), before);
        let step = |tty: &mut Tty, keys: &str, question: &str| {
            tty.keys(keys);
            tty.wait("a plan", |screen| {
                screen.contents().contains("All guards are ok")
            });
            tty.keys("A");
            tty.wait("the question", |screen| {
                screen.contents().contains(question)
            });
            tty.keys("yes\r");
            tty.wait("the outcome", |screen| {
                screen.contents().contains("Verification")
            });
            std::fs::read(&file).unwrap()
        };
        let restored = step(&mut tty, "", "Apply this plan?");
        assert_ne!(restored, before);
        assert_eq!(step(&mut tty, "u", "Undo this recovery?"), before);
        assert_eq!(step(&mut tty, "\x12", "Redo this recovery?"), restored);
        tty.keys("R");
        tty.wait("the applied plan", |screen| {
            let said = screen.contents();
            said.contains("undo of") && said.contains("redo of")
        });
        tty.keys("qqq");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
    }

    #[test]
    fn the_orchestrator_gets_the_terminal_and_its_first_record_is_seen() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = own_sandbox();
        let demo = dir.path().join("demo");
        let agent = dir.path().join("agent");
        let script = "#!/bin/sh\nprintf 'the agent speaks\\n'\nread answer\n\
                      for log in \"$TMPDIR\"/crucible-dispatch-*/manifest.jsonl; do\n\
                      printf '\\n{\"seq\":99,\"phase\":3,\"status\":\"dispatched\"}\\n' >> \"$log\"\ndone\nexit 3\n";
        std::fs::write(&agent, script).unwrap();
        std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
        let config = demo.join("home/.config/relight");
        std::fs::create_dir_all(&config).unwrap();
        let wish = format!("[agent]\ncrucible = [{:?}]\n", agent.to_str().unwrap());
        std::fs::write(config.join("config.toml"), wish).unwrap();
        let mut tty = open_on(&demo);
        tty.keys("/crucible\r");
        tty.wait("one pipeline", |screen| {
            screen.contents().contains("filtered out")
        });
        tty.keys("p");
        tty.wait("the plan", |screen| {
            screen.contents().contains("All guards are ok")
        });
        tty.keys("A");
        tty.wait("the question", |screen| {
            screen.contents().contains("Apply this plan?")
        });
        tty.keys("yes\r");
        tty.wait("the outcome", |screen| {
            screen.contents().contains("Verification")
        });
        tty.keys("HA");
        tty.wait("the question", |screen| {
            screen.contents().contains("Launch the orchestrator here?")
        });
        tty.keys("yes\r");
        tty.wait("the agent", |screen| {
            !screen.alternate_screen() && screen.contents().contains("the agent speaks")
        });
        // Neither is a key of the console.
        tty.keys("q\r");
        tty.wait("the console again", |screen| {
            screen.alternate_screen() && screen.contents().contains("has ended: exit 3")
        });
        tty.wait("the first record", |screen| {
            screen.contents().contains("resumed: ")
        });
        tty.keys("qqq");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
    }

    #[test]
    fn it_follows_the_size() {
        let mut tty = open();
        for (width, height) in [(140, 45), (80, 24), (50, 10), (100, 30)] {
            tty.resize(width, height);
            let last = height - 1;
            tty.wait("the footer at the new last row", |screen| {
                let row = screen
                    .rows(0, width)
                    .nth(usize::from(last))
                    .unwrap_or_default();
                row.contains("q quit")
                    || (width < 60 && screen.contents().contains("needs 60 columns"))
            });
        }
        tty.keys("q");
        assert_eq!(tty.ended(), Some(0));
    }

    #[test]
    fn ctrl_c_and_every_signal_give_the_terminal_back() {
        let mut tty = open();
        tty.keys("\x03");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
        for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
            let mut tty = open();
            tty.signal(signal);
            assert_eq!(tty.ended(), Some(130), "{signal:?}");
            tty.assert_given_back();
        }
    }

    #[test]
    fn ctrl_z_stops_it_and_it_comes_back() {
        let mut tty = open();
        tty.keys("\x1a");
        tty.wait("the other screen to be left", |screen| {
            !screen.alternate_screen()
        });
        tty.wait_stopped();
        tty.assert_given_back();
        tty.signal(Signal::CONT);
        tty.wait("the list again", |screen| {
            screen.alternate_screen() && screen.contents().contains("interrupted")
        });
        tty.keys("q");
        assert_eq!(tty.ended(), Some(0));
        tty.assert_given_back();
    }

    #[test]
    fn it_writes_nothing_while_nothing_happens() {
        let mut tty = open();
        let before = tty.settled();
        // The one place where time itself is under test.
        std::thread::sleep(Duration::from_millis(1_500));
        assert_eq!(tty.bytes(), before);
        tty.keys("j");
        tty.wait_bytes(before);
        let moved = tty.settled() - before;
        assert!(moved < 16_000, "one key took {moved} bytes");
        tty.keys("q");
        assert_eq!(tty.ended(), Some(0));
    }

    #[test]
    fn a_panic_gives_the_terminal_back_before_it_is_reported() {
        let own = std::env::current_exe().unwrap();
        let args = [
            "--exact",
            "terminal::tests::a_console_that_panics",
            "--ignored",
            "--nocapture",
        ];
        let mut tty = Tty::start(own.to_str().unwrap(), &args, &std::env::temp_dir(), 100, 30);
        assert_ne!(tty.ended(), Some(0));
        tty.assert_given_back();
        let text = tty.screen(vt100::Screen::contents);
        assert!(text.contains("the clock broke"), "{text}");
    }

    /// The other half of the test above: it runs in a pseudo-terminal of its own.
    #[test]
    #[ignore = "run by another test, in a terminal"]
    fn a_console_that_panics() {
        let mut config = relight::config::Config::default();
        config.mouse = false;
        relight::tui::run(
            Broken::default(),
            relight::engine::Request::default(),
            &config,
            (true, false),
        )
        .unwrap();
    }
}
