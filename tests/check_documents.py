#!/usr/bin/env python3
# Help fits a screen, man pages are clean and their examples run, completions complete.
# SPDX-License-Identifier: MIT
"""Check help, man pages and completions of a build and end with "N passed, N failed". --build DIR: the build.

zsh, fish and man are used where they are installed; bash always. Every example of a man page is run by bash
with pipefail and must end with status 0, or with the one that the sentence before it names: "(status 1)". """
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tally import Tally, build_option, no_terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent
# --help must fit this many lines and columns.
SCREEN = (64, 100)
# Command line, what a Tab after it must offer, what it must not offer.
TABS = [
    ("plan-multicast --first-hop ", ["strict", "free"], ["ocms"]),
    ("plan-multicast du", ["dual-path", "dual-arm"], ["ocms", "--certify"]),
    ("plan-multicast --cert", ["--certify"], ["--front"]),
    ("plan-multicast --routing lab", ["label", "label-shortest"], ["hc"]),
    ("plan-multicast ocms,du", ["ocms,dual-path", "ocms,dual-arm"], ["dual-path"]),
    ("gen-topology m", ["mesh"], ["torus"]),
    ("gen-multicast --pattern ", ["uniform", "transpose"], ["mesh"]),
    ("simulate-wormhole --engine w", ["worm"], ["flit"]),
    ("simulate-wormhole --preset ", ["paper", "infiniband"], []),
    ("check-deadlock --vc-reuse e", ["early"], ["drained"]),
    ("report --by plan", ["planner"], ["topology"]),
    ("route-expand stream", ["stream.jsonl"], []),
    ("gen-topology -o stream", ["stream.jsonl"], []),
]
BASH = """
cd "$1" && source "$2" || exit 1
line=$3
read -ra COMP_WORDS <<< "$line"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_${COMP_WORDS[0]//-/_}
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "cd $argv[1]; source $argv[2]; complete -C $argv[3]"
# An interactive zsh in a pseudo-terminal: types the line as soon as its editor has the terminal, which would
# take ^D for an end before, lists the choices, then prints a word that ends the wait.
ZSH = r"""
zmodload zsh/zpty
zpty shell "cd ${(q)1} && zsh -f -i"
zpty -w shell "PS1=''; PROMPT2=''; fpath=(${(q)2} \$fpath); autoload -Uz compinit"
zpty -w shell "compinit -u -D; stty cols 200 rows 200"
zpty -w shell "LISTMAX=10000; unsetopt beep; finish() { print -n fini''shed }; zle -N finish"
zpty -w shell "bindkey '^D' list-choices '^G' finish"
zpty -w shell "zle-line-init() { print -n rea''dy }; zle -N zle-line-init"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$3"$'\004\007'
zpty -r -m shell line '*finished*'
print -r -- $line
zpty -d shell
"""


def in_list(before):
    """Whether the last line that is not indented opens a list of what a registry holds."""
    return (next((line for line in reversed(before) if line and not line.startswith(" ")),
                 "") in ("Planners:", "Patterns:"))


def check_help(tools, bin_dir, tally):
    for tool in tools:
        lines = subprocess.run([bin_dir / tool, "--help"], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        # Lists of planners and patterns grow with what is there.
        text = [line for at, line in enumerate(lines)
                if not (line.startswith("  ") and in_list(lines[:at]))]
        tally.check(len(text) <= SCREEN[0], f"{tool} --help has {len(text)} lines beside its list, a screen "
                    f"{SCREEN[0]}")
        for line in lines:
            tally.check(len(line) <= SCREEN[1], f"{tool} --help is wider than {SCREEN[1]} columns: {line}")
        full = subprocess.run([bin_dir / tool, "--help-all"], capture_output=True, text=True,
                              check=True).stdout
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(lines)):
            tally.check(option in full, f"{tool} --help-all does not explain {option}")


def check_man(pages, bin_dir, folder, tally):
    for page in pages:
        text = page.read_text()
        for section in ("NAME", "DESCRIPTION") + (("SYNOPSIS", "OPTIONS", "EXIT STATUS", "EXAMPLES", "LIMITS",
                                                   "SEE ALSO") if page.suffix == ".1" else ()):
            tally.check(f".SH {section}\n" in text, f"{page.name} has no section {section}")
        if shutil.which("groff"):
            process = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True,
                                     text=True, check=False)
            tally.check(process.returncode == 0 and not process.stderr, f"{page.name}: {process.stderr}")
        if page.suffix == ".5":  # its example is a stream, which tools take
            stream = re.search(r"\n\.EX\n(.*?)\.EE", text, re.DOTALL)[1].replace("\\-", "-")
            process = subprocess.run([bin_dir / "plan-multicast", "separate"], input=stream,
                                     capture_output=True, text=True, check=False)
            tally.check(process.returncode == 0 and not process.stderr, f"{page.name}: its example: "
                        f"{process.stderr}")
        if page.suffix != ".1":
            continue
        examples = re.findall(r"([^\n]*)\n\.PP\n\.EX\n(.*?)\.EE", text, re.DOTALL)
        tally.check(bool(examples), f"{page.name} has no example")
        for sentence, example in examples:
            command = example.replace("\\-", "-").replace("\\e", "\\")
            wanted = re.search(r"\(status (\d)\)", sentence)
            process = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder,
                                     capture_output=True, text=True, env={
                                         "PATH": f"{bin_dir}:/usr/bin:/bin", "LC_ALL": "C"}, check=False)
            tally.check(process.returncode == int(wanted[1] if wanted else 0),
                        f"{page.name}: status {process.returncode}: {command}{process.stderr}")
            tally.check(process.stderr == "", f"{page.name}: {command}{process.stderr}")


def check_described(tools, build, tally):
    """What each tool describes now is what the build holds, to the byte: nothing there is older than its
    tool."""
    for tool in tools:
        written = {"man": build / f"man/{tool}.1.options",
                   "bash": build / f"completions/bash-completion/completions/{tool}",
                   "zsh": build / f"completions/zsh/site-functions/_{tool}",
                   "fish": build / f"completions/fish/vendor_completions.d/{tool}.fish"}
        described = build / f"man/{tool}.json"
        process = subprocess.run([build / "bin" / tool, "--describe"], capture_output=True, check=False)
        tally.check(process.returncode == 0 and not process.stderr
                    and process.stdout == described.read_bytes(), f"{described} is not what {tool} "
                    f"--describe writes {process.stderr}")
        for form, path in written.items():
            process = subprocess.run([ROOT / "data/package/describe", form, described], capture_output=True,
                                     check=False)
            tally.check(process.returncode == 0 and not process.stderr, f"describe {form} of {tool}: "
                        f"{process.stderr}")
            tally.check(bool(process.stdout) and process.stdout == path.read_bytes(),
                        f"{path} is not what describe {form} writes of {tool}")
        tally.check((build / f"man/{tool}.1").read_bytes().startswith(written["man"].read_bytes()),
                    f"{tool}.1 does not begin with the options that {tool} describes")


def offered(shell, line, completions, folder):
    tool = line.split()[0]
    if shell == "bash":
        command = ["bash", "--norc", "-c", BASH, "bash", folder,
                   completions / f"bash-completion/completions/{tool}", line]
    elif shell == "fish":
        command = ["fish", "--no-config", "-c", FISH, folder,
                   completions / f"fish/vendor_completions.d/{tool}.fish", line]
    else:
        command = ["zsh", "-f", "-c", ZSH, "zsh", folder, completions / "zsh/site-functions", line]
    out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    if shell == "fish":
        return [choice.split("\t")[0] for choice in out.splitlines()]
    if shell == "zsh":  # what the list shows, without the line itself
        out = out.split(line, 1)[-1]
        return re.findall(r"[\w.,-]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", " ", out))
    return out.split()


def check_completions(completions, folder, tally):
    (folder / "stream.jsonl").touch()
    for shell in ("bash", "zsh", "fish"):
        if not shutil.which(shell):
            print(f"skipped: {shell} is not installed: its completions are not run")
            continue
        if shell == "zsh" and no_terminal():
            print(f"skipped: zsh's completions are not run: {no_terminal()}")
            continue
        for line, wanted, unwanted in TABS:
            choices = offered(shell, line, completions, folder)
            if shell == "zsh":  # it lists the part after the comma
                wanted = [choice.split(",")[-1] for choice in wanted]
                # On a busy machine the keys can arrive before its line editor: then they are typed again.
                for _ in range(2):
                    choices = (choices if set(wanted) <= set(choices)
                               else offered(shell, line, completions, folder))
            if "," in line and shell != "bash":
                unwanted = []
            tally.check(set(wanted) <= set(choices), f"{shell}: '{line}' offers {choices[:20]}, not {wanted}")
            tally.check(not set(unwanted) & set(choices), f"{shell}: '{line}' offers {unwanted}")


def main():
    build = build_option(__doc__)
    tools = sorted(path.stem.replace("_", "-") for path in (ROOT / "tools").glob("*.cpp"))
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_help(tools, build / "bin", tally)
        check_described(tools, build, tally)
        check_man([*(build / "man" / f"{tool}.1" for tool in tools), build / "man/wormcast.7",
                   build / "man/wormcast-formats.5"], build / "bin", folder, tally)
        check_completions(build / "completions", folder, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
