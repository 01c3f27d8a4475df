//! Manual pages and completions: everything that the help names is in them.

mod common;

use common::Folder;

/// The commands of the general help.
fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.output("--help");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.trim().split(' ').next());
    names
        .filter(|&name| name != "help")
        .map(String::from)
        .collect()
}

/// Roff with its escapes of hyphens and quotes undone.
fn plain(page: &str) -> String {
    page.replace("\\-", "-").replace("\\*(Aq", "'")
}

#[test]
fn every_command_has_a_page_with_its_options_and_examples() {
    let folder = Folder::empty();
    folder.run("man --out pages").succeeded();
    assert!(folder.path("pages/mmoc.1").exists());
    assert!(folder.path("pages/mmoc-datasets-get.1").exists());
    for command in commands(&folder) {
        let path = folder.path(&format!("pages/mmoc-{command}.1"));
        let page = std::fs::read_to_string(path).expect("the page is there");
        assert_eq!(folder.output(&format!("man {command}")), page);
        let (page, help) = (plain(&page), folder.output(&format!("{command} --help")));
        let lines = help.lines().filter(|line| !line.contains("[alias: "));
        let words = lines.flat_map(str::split_ascii_whitespace);
        let options = words.filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric())) {
            let name = option.split('=').next().unwrap_or(option);
            assert!(page.contains(name), "{command}: {option}");
        }
        let examples = help.lines().filter(|line| line.starts_with("  mmoc "));
        for example in examples {
            assert!(page.contains(example.trim()), "{command}: {example}");
        }
    }
}

#[test]
fn completions_of_every_shell_know_every_command() {
    let folder = Folder::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = folder.output(&format!("completions {shell}"));
        for command in commands(&folder) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn bash_takes_its_script() {
    let folder = Folder::empty();
    let script = folder.output("completions bash");
    std::fs::write(folder.path("mmoc.bash"), script).unwrap();
    let line = "source ./mmoc.bash && complete -p mmoc && \
                COMP_WORDS=(mmoc evalu) COMP_CWORD=1 && _mmoc mmoc evalu mmoc && echo ${COMPREPLY[@]}";
    let outcome = common::Outcome::of(folder.command("bash").args(["-c", line])).succeeded();
    assert!(outcome.stdout.ends_with("evaluate\n"), "{outcome:?}");
}
