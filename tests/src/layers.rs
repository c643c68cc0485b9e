//! The layers of a crate: the imports among its modules, and import cycles.
//!
//! The imports are read from the text of the sources: `use crate::`, `use super::` and paths that
//! begin with these. Test modules and comments do not count. A name that the crate root re-exports leads to
//! the module that defines it, so that a re-export cannot hide an import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// A module's path within its crate: `["head", "scan"]`; empty for the root.
type Module = Vec<String>;

/// The imports of a crate, by module.
#[derive(Debug, Default)]
pub struct Imports {
    modules: BTreeSet<Module>,
    /// Names that the root re-exports, and the module each leads to.
    exported: BTreeMap<String, Module>,
    /// The imports: importing module, imported module.
    edges: BTreeSet<(Module, Module)>,
}

impl Imports {
    /// Reads the sources below a folder, `src`.
    ///
    /// # Errors
    ///
    /// If a file or folder cannot be read.
    pub fn read(src: &Path) -> io::Result<Self> {
        let mut sources = BTreeMap::new();
        collect(src, &mut Vec::new(), &mut sources)?;
        Ok(Self::of(&sources))
    }

    /// Reads the imports of modules that are given with their text.
    pub fn of(sources: &BTreeMap<Module, String>) -> Self {
        let mut imports = Self {
            modules: sources.keys().cloned().collect(),
            ..Self::default()
        };
        if let Some(root) = sources.get(&Module::new()) {
            for path in paths(&product_code(root), &["pub use ", "pub(crate) use "]) {
                if let Some((name, module)) = path.split_last()
                    && imports.modules.contains(&module[..module.len().min(1)])
                {
                    imports.exported.insert(name.clone(), module.to_vec());
                }
            }
        }
        for (module, text) in sources.iter().filter(|(module, _)| !module.is_empty()) {
            for path in paths(&product_code(text), &["crate::", "super::"]) {
                if let Some(target) = imports.target(module, &path)
                    && target != *module
                {
                    imports.edges.insert((module.clone(), target));
                }
            }
        }
        imports
    }

    /// Returns the module that a path in another module leads to; `None` for the root.
    fn target(&self, from: &Module, path: &[String]) -> Option<Module> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let (base, names) = match path.first().map(String::as_str) {
            Some("crate") => (&[][..], &path[1..]),
            _ => (&from[..from.len().checked_sub(ups)?], &path[ups..]),
        };
        let mut full: Module = base.iter().chain(names).cloned().collect();
        if let Some(exported) = full.first().and_then(|name| self.exported.get(name))
            && !self.modules.contains(&full[..1])
        {
            full.clone_from(exported);
        }
        while !self.modules.contains(&full) {
            full.pop();
        }
        Some(full).filter(|module| !module.is_empty())
    }

    /// Returns the import cycles: modules at the top of the crate, or folders next to each other, that import each
    /// other, directly or through others. Each is a sorted list of module paths.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let is_folder = |path: &[String]| {
            let mut inside = self.modules.iter();
            inside.any(|module| module.len() > path.len() && module.starts_with(path))
        };
        let parents: BTreeSet<&[String]> = self
            .modules
            .iter()
            .flat_map(|module| (0..module.len()).map(|length| &module[..length]))
            .collect();
        let mut cycles = Vec::new();
        for parent in parents {
            let depth = parent.len() + 1;
            let is_below = |module: &Module| {
                module.len() >= depth
                    && module.starts_with(parent)
                    && (parent.is_empty() || is_folder(&module[..depth]))
            };
            let mut reached: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
            for (from, to) in &self.edges {
                if is_below(from) && is_below(to) && from[..depth] != to[..depth] {
                    reached
                        .entry(&from[..depth])
                        .or_default()
                        .insert(&to[..depth]);
                }
            }
            cycles.extend(cycles_among(reached));
        }
        cycles
    }
}

/// Returns the cycles of a graph: sets of nodes that reach each other.
fn cycles_among(mut reached: BTreeMap<&[String], BTreeSet<&[String]>>) -> Vec<Vec<String>> {
    // All nodes that each node reaches, directly or through others. Crates have few folders.
    loop {
        let mut grown = reached.clone();
        for targets in grown.values_mut() {
            let further = targets.iter().filter_map(|target| reached.get(target));
            let further: Vec<&[String]> = further.flatten().copied().collect();
            targets.extend(further);
        }
        if grown == reached {
            break;
        }
        reached = grown;
    }
    let reaches = |from: &[String], to: &[String]| {
        reached
            .get(from)
            .is_some_and(|targets| targets.contains(to))
    };
    let cycles: BTreeSet<Vec<String>> = reached
        .keys()
        .filter(|node| reaches(node, node))
        .map(|node| {
            let others = reached
                .keys()
                .filter(|other| reaches(node, other) && reaches(other, node));
            others.map(|other| other.join("::")).collect()
        })
        .collect();
    cycles.into_iter().collect()
}

fn collect(
    folder: &Path,
    module: &mut Module,
    sources: &mut BTreeMap<Module, String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            module.push(name.into_owned());
            collect(&path, module, sources)?;
            module.pop();
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let mut of_file = module.clone();
            if !["lib", "main", "mod"].contains(&&*name) {
                of_file.push(name.into_owned());
            }
            sources.insert(of_file, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// Returns the text without comments and without the test module at its end.
fn product_code(text: &str) -> String {
    // Test modules may need a feature, too.
    let beginnings = ["\n#[cfg(test)]\nmod ", "\n#[cfg(all(test, "];
    let tests = beginnings
        .iter()
        .filter_map(|beginning| text.find(beginning));
    let tests = tests.min().unwrap_or(text.len());
    let lines = text[..tests]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the paths in a source that begin with one of these texts, with their braces expanded. A beginning that ends with
/// `use ` is not a part of the path; `crate::` and `super::` are.
fn paths(text: &str, beginnings: &[&str]) -> Vec<Module> {
    let mut found = Vec::new();
    for beginning in beginnings {
        for (at, _) in text.match_indices(beginning) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let start = if beginning.ends_with("use ") {
                at + beginning.len()
            } else {
                at
            };
            let mut depth = 0;
            let end = text[start..].find(|c: char| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                let is_inside = depth > 0 && c != ';';
                !(is_inside || c.is_alphanumeric() || "_:{}".contains(c)) || depth < 0
            });
            let tree = &text[start..end.map_or(text.len(), |end| start + end)];
            expand(&[], tree, &mut found);
        }
    }
    found
}

/// Expands `a::{b, c::d}` to `a::b` and `a::c::d`, after a prefix.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<Module>) {
    let parts = |path: &str| -> Module {
        let path = path.split(" as ").next().unwrap_or_default();
        let names = path
            .split("::")
            .map(str::trim)
            .filter(|name| !name.is_empty());
        prefix
            .iter()
            .cloned()
            .chain(names.map(str::to_owned))
            .collect()
    };
    let Some((path, inner)) = tree.split_once('{') else {
        return found.push(parts(tree));
    };
    let prefix = parts(path);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&prefix, inner[start..at].trim(), found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
        let module = |path: &str| -> Module {
            let names = path.split('/').filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        let sources = sources
            .iter()
            .map(|(path, text)| (module(path), (*text).to_owned()));
        Imports::of(&sources.collect()).cycles()
    }

    #[test]
    fn two_folders_that_import_each_other_are_a_cycle() {
        let down = ("rules/compile", "use crate::parse::{line::Line, Lines};");
        assert!(cycles(&[("", ""), ("parse", ""), ("parse/line", ""), down]).is_empty());
        let up = (
            "parse/line",
            "fn f(rules: &crate::rules::compile::Rules) {}",
        );
        let found = cycles(&[("", ""), ("parse", ""), up, ("rules", ""), down]);
        assert_eq!(found, [["parse", "rules"]]);
    }

    #[test]
    fn a_cycle_may_run_through_others_and_through_the_root() {
        let root = ("", "mod a; mod b; mod c;\npub use c::{Deep, Other};");
        let found = cycles(&[
            root,
            ("a", "use crate::b::B;"),
            ("b", "use crate::Deep;"),
            ("c", "use super::a::A;"),
        ]);
        assert_eq!(found, [["a", "b", "c"]]);
    }

    #[test]
    fn folders_next_to_each_other_count_at_every_depth() {
        let found = cycles(&[
            ("head/tree", ""),
            ("head/scan/tag", "use super::super::tree::Tree;"),
            ("head/tree/sink", "use crate::head::scan::tag::Tag;"),
            // A folder with its content is one node, and so are the files of a folder.
            ("head", "use scan::tag::Tag;"),
            ("head/scan", "use super::reader::Reader;"),
            ("head/reader", "use super::scan::tag::Tag;"),
        ]);
        assert_eq!(found, [["head::scan", "head::tree"]]);
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        let a = "//! As [`crate::b`].\nfn a() {} // crate::b::B\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}";
        assert!(cycles(&[("a", a), ("b", "use crate::a::a;")]).is_empty());
    }
}
