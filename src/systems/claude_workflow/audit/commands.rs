//! Commands that change something outside the agent's files, recognized by their first words. Shell syntax is not
//! parsed: a command in a variable, a script or a quoted program is missed, so the list is never complete.

/// The first words of commands; no more is shown of them.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "git push", "git commit", "git merge", "git rebase", "git reset", "git tag", "git branch",
    "git switch", "git checkout", "git worktree", "gh pr create", "gh pr merge", "gh pr comment",
    "gh pr review", "gh pr edit", "gh pr close", "gh issue create", "gh issue comment",
    "gh issue close", "gh issue edit", "gh release", "gh workflow run", "glab mr", "glab issue",
    "npm publish", "pnpm publish", "yarn publish", "yarn npm publish", "cargo publish",
    "twine upload", "uv publish", "gem push", "docker push", "kubectl apply", "kubectl delete",
    "kubectl create", "kubectl patch", "helm install", "helm upgrade", "terraform apply",
    "terraform destroy", "pulumi up", "aws", "gcloud", "az", "fly deploy", "vercel",
    "alembic upgrade", "prisma migrate", "rails db:migrate", "psql", "mysql", "ssh", "scp", "rsync",
    "sendmail", "rm",
];

/// Words before a command that do not change its effect.
const WRAPPERS: &[&str] = &[
    "sudo", "env", "command", "time", "nohup", "npx", "exec", "then", "do",
];

/// The known commands in a shell text, each once, in order.
pub(crate) fn effects(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    // Separators inside quotes split too: that can only add a possible effect.
    for part in text.split(['\n', ';', '|', '&', '(', ')', '`', '{', '}']) {
        if let Some(verb) = verb(part)
            && !found.contains(&verb)
        {
            found.push(verb);
        }
    }
    found
}

fn verb(part: &str) -> Option<&'static str> {
    let skipped = |word: &&str| {
        let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let assigns = word.split_once('=').is_some_and(|(name, _)| plain(name));
        assigns || WRAPPERS.contains(word)
    };
    let mut words = part.split_whitespace().skip_while(skipped);
    let program = words.next()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let rest: Vec<&str> = words.collect();
    if matches!(program, "curl" | "wget" | "http" | "https" | "xh") {
        return sends(program, &rest);
    }
    let verb = VERBS.iter().find(|verb| {
        let (first, expected) = verb.split_once(' ').unwrap_or((verb, ""));
        let expected: Vec<&str> = expected.split_whitespace().collect();
        first == program && follows(program, &rest, &expected)
    })?;
    // `git branch` and `git tag` without arguments only list.
    let lists = matches!(*verb, "git branch" | "git tag" | "git worktree") && only_lists(&rest);
    (!lists).then_some(verb)
}

/// Whether these words follow the program, ignoring options in between: `git -C dir push`.
fn follows(program: &str, rest: &[&str], expected: &[&str]) -> bool {
    let valued = |option: &str| match program {
        "git" => matches!(option, "-C" | "-c" | "--git-dir" | "--work-tree"),
        "gh" => matches!(option, "-R" | "--repo"),
        "kubectl" | "helm" => matches!(option, "-n" | "--namespace" | "--context"),
        "npm" | "pnpm" => matches!(option, "--prefix" | "-C"),
        _ => false,
    };
    let mut words = Vec::new();
    let mut all = rest.iter();
    while let Some(word) = all.next() {
        if valued(word) {
            all.next();
        } else if !word.starts_with('-') {
            words.push(*word);
        }
    }
    words.starts_with(expected)
}

fn only_lists(rest: &[&str]) -> bool {
    const LIST: &[&str] = &["list", "-l", "--list"];
    const QUIET: &[&str] = &["-a", "-v", "-vv", "-r", "--all", "--show-current"];
    let mut after = rest.iter().skip(1);
    after.clone().any(|word| LIST.contains(word)) || after.all(|word| QUIET.contains(word))
}

/// The methods of HTTP requests that send data.
const METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];

/// An HTTP request that sends data.
fn sends(program: &str, rest: &[&str]) -> Option<&'static str> {
    let method = |word: &str| METHODS.contains(&word.to_ascii_uppercase().as_str());
    let explicit = rest.iter().any(|word| {
        let word = word.trim_matches(['"', '\'']);
        let mut options = ["-X", "--request=", "--method="].iter();
        let bare = options.find_map(|option| word.strip_prefix(option));
        method(bare.unwrap_or(word))
    });
    let has_data = rest.iter().any(|word| {
        [
            "-d",
            "--data",
            "-F",
            "--form",
            "-T",
            "--upload-file",
            "--json",
            "--post-data",
            "--post-file",
            "--body-data",
        ]
        .iter()
        .any(|option| word == option || (option.starts_with("--") && word.starts_with(option)))
    });
    match program {
        _ if !explicit && !has_data => None,
        "curl" => Some("curl that sends data"),
        "wget" => Some("wget that sends data"),
        _ => Some("HTTP request that sends data"),
    }
}

#[cfg(test)]
mod tests {
    use super::effects;

    #[test]
    fn commands_with_effects_outside_are_named_and_not_quoted() {
        let table: &[(&str, &[&str])] = &[
            ("git push origin SECRET", &["git push"]),
            ("cd x && git -C /r push", &["git push"]),
            ("GIT_DIR=x sudo git commit -m 'push it'", &["git commit"]),
            (
                "git add . && git commit -m x && git push",
                &["git commit", "git push"],
            ),
            ("gh -R a/b pr create --fill", &["gh pr create"]),
            ("gh pr view 3; gh issue list", &[]),
            ("npm publish --tag next", &["npm publish"]),
            ("npm test", &[]),
            ("curl -X POST https://x", &["curl that sends data"]),
            ("curl -XDELETE https://x", &["curl that sends data"]),
            (
                "curl -s --data-binary @f https://x",
                &["curl that sends data"],
            ),
            ("curl -s https://x/POSTS", &[]),
            ("/usr/bin/rm -rf build", &["rm"]),
            ("git branch --list; git tag -l; git status", &[]),
            ("git branch topic", &["git branch"]),
            ("echo $(kubectl -n a delete pod b)", &["kubectl delete"]),
            ("cat a | ssh host 'tee b'", &["ssh"]),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(effects(text), *expected, "{text}");
        }
    }
}
