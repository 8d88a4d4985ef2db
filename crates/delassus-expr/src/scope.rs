//! The meaning of names in an expression.

use crate::Dim;
use crate::curve::Curve;
use std::sync::Arc;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binding {
    /// A parameter: its value in SI and its dimension.
    Const(f64, Dim),
    /// A variable: its index into the slice given to [`crate::Expr::eval`].
    Var(usize),
}

/// A function of one argument, given by points.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFunction {
    /// The function in SI.
    pub curve: Arc<Curve>,
    /// Dimension of its argument.
    pub argument: Dim,
    /// Dimension of its value.
    pub value: Dim,
}

/// The names an expression may use.
pub trait Scope {
    /// The meaning of `name`, or `None` if it is not defined here.
    fn lookup(&self, name: &str) -> Option<Binding>;

    /// Whether `name` is defined here, where it could also be a unit.
    fn is_defined(&self, name: &str) -> bool {
        self.lookup(name).is_some()
    }

    /// Whether `name` is a variable, in the same situation.
    fn is_variable(&self, name: &str) -> bool {
        matches!(self.lookup(name), Some(Binding::Var(_)))
    }

    /// The table of that name, which is called like a function. The functions of the language come first.
    fn table(&self, _name: &str) -> Option<TableFunction> {
        None
    }

    /// Names of all tables.
    fn tables(&self) -> Vec<String> {
        Vec::new()
    }

    /// All names, from which the suggestion for a misspelt one is taken.
    fn names(&self) -> Vec<String>;
}

/// The empty scope, for expressions of numbers and units only.
impl Scope for () {
    fn lookup(&self, _name: &str) -> Option<Binding> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A short list of names; the first match counts.
impl<S: AsRef<str>, const N: usize> Scope for [(S, Binding); N] {
    fn lookup(&self, name: &str) -> Option<Binding> {
        find(self, name)
    }

    fn names(&self) -> Vec<String> {
        all(self)
    }
}

/// A list of names; the first match counts.
impl<S: AsRef<str>> Scope for Vec<(S, Binding)> {
    fn lookup(&self, name: &str) -> Option<Binding> {
        find(self, name)
    }

    fn names(&self) -> Vec<String> {
        all(self)
    }
}

fn find<S: AsRef<str>>(list: &[(S, Binding)], name: &str) -> Option<Binding> {
    list.iter().find(|(n, _)| n.as_ref() == name).map(|(_, b)| *b)
}

fn all<S: AsRef<str>>(list: &[(S, Binding)]) -> Vec<String> {
    list.iter().map(|(n, _)| n.as_ref().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_scopes() {
        let array = [("a", Binding::Var(3)), ("a", Binding::Var(4))];
        assert_eq!(array.lookup("a"), Some(Binding::Var(3)));
        assert_eq!(array.lookup("b"), None);
        let list = vec![("x.y".to_owned(), Binding::Const(2.0, Dim::MASS))];
        assert_eq!(list.lookup("x.y"), Some(Binding::Const(2.0, Dim::MASS)));
        assert_eq!(list.names(), ["x.y"]);
        assert_eq!(().lookup("a"), None);
        assert!(().names().is_empty());
    }
}
