//! The grammar: recursive descent that emits instructions as it goes.

mod quantity;

use crate::curve::Curve;
use crate::emit::{Emitter, Node};
use crate::error::{ExprError, ExprErrorKind};
use crate::lexer::{Span, Tok, Token, Tokens, tokenize};
use crate::program::Op;
use crate::scope::{Binding, Scope};
use crate::suggest::suggest;
use crate::{Dim, MAX_DEPTH, MAX_LENGTH, functions, program};
use std::f64::consts;
use std::sync::Arc;

/// A checked and compiled expression.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) code: Vec<Op>,
    pub(crate) tables: Vec<Arc<Curve>>,
    pub(crate) depth: usize,
    pub(crate) dim: Dim,
}

/// Compiles `src`; without `allow_variables`, a variable is an error.
pub(crate) fn compile(
    src: &str,
    scope: &dyn Scope,
    allow_variables: bool,
) -> Result<Compiled, ExprError> {
    let length = src.len();
    if length > MAX_LENGTH {
        let kind = ExprErrorKind::TooLong { length };
        return Err(ExprError::new(kind, 0..length));
    }
    let mut parser = Parser {
        src,
        scope,
        allow_variables,
        tokens: tokenize(src),
        at: 0,
        nesting: 0,
        emit: Emitter::default(),
    };
    let node = parser.expression(LOOSEST)?;
    if parser.peek().tok != Tok::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    if let Some((value, span)) = node.bad {
        return Err(ExprError::new(ExprErrorKind::NonFinite { value }, span));
    }
    let Emitter { code, tables } = parser.emit;
    let depth = program::depth(&code);
    if depth > MAX_DEPTH {
        return Err(ExprError::new(ExprErrorKind::TooDeep, 0..length));
    }
    let dim = node.dim;
    Ok(Compiled { code, tables, depth, dim })
}

struct Parser<'a> {
    src: &'a str,
    scope: &'a dyn Scope,
    allow_variables: bool,
    tokens: Tokens,
    at: usize,
    nesting: usize,
    emit: Emitter,
}

type Parsed = Result<Node, ExprError>;

const LOOSEST: u8 = 1;
const COMPARISON: u8 = 3;

/// The binary operator a token stands for and its binding strength.
fn binary_operator(tok: Tok) -> Option<(Op, u8)> {
    Some(match tok {
        Tok::Or => (Op::Or, LOOSEST),
        Tok::And => (Op::And, 2),
        Tok::Lt => (Op::Lt, COMPARISON),
        Tok::Le => (Op::Le, COMPARISON),
        Tok::Gt => (Op::Gt, COMPARISON),
        Tok::Ge => (Op::Ge, COMPARISON),
        Tok::Eq => (Op::Eq, COMPARISON),
        Tok::Ne => (Op::Ne, COMPARISON),
        Tok::Plus => (Op::Add, 4),
        Tok::Minus => (Op::Sub, 4),
        Tok::Star => (Op::Mul, 5),
        Tok::Slash => (Op::Div, 5),
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// The token `n` places ahead; beyond the last one, the last one.
    fn ahead(&self, n: usize) -> Token {
        let list = &self.tokens.list;
        let end = Span::new(self.src.len(), self.src.len());
        let missing = Token { tok: Tok::End, span: end };
        list.get(self.at + n).or(list.last()).copied().unwrap_or(missing)
    }

    fn peek(&self) -> Token {
        self.ahead(0)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn text(&self, span: Span) -> &'a str {
        self.src.get(span.start..span.end).unwrap_or("")
    }

    fn enter(&mut self, span: Span) -> Result<(), ExprError> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return Err(ExprError::new(ExprErrorKind::TooDeep, span));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// The error for the next token.
    fn unexpected(&mut self, expected: &'static str) -> ExprError {
        let Token { tok, span } = self.peek();
        match tok {
            Tok::End => ExprError::new(ExprErrorKind::UnexpectedEnd { expected }, span),
            Tok::Bad => match self.tokens.error.take() {
                Some(error) => error,
                None => ExprError::new(ExprErrorKind::UnexpectedEnd { expected }, span),
            },
            Tok::Comma if self.is_decimal_comma() => {
                let start = self.tokens.list[self.at - 1].span;
                let whole = start.to(self.ahead(1).span);
                ExprError::new(ExprErrorKind::DecimalComma, whole)
            }
            _ => {
                let found = self.text(span).to_owned();
                let kind = ExprErrorKind::UnexpectedToken { found, expected };
                ExprError::new(kind, span)
            }
        }
    }

    /// Whether the next token is a comma between two numbers without spaces.
    fn is_decimal_comma(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.list.get(i));
        let (comma, after) = (self.peek().span, self.ahead(1));
        matches!(before, Some(Token { tok: Tok::Number(_), span }) if span.end == comma.start)
            && matches!(after.tok, Tok::Number(_))
            && after.span.start == comma.end
    }

    /// A chain of binary operators that bind at least as strongly as `weakest`.
    fn expression(&mut self, weakest: u8) -> Parsed {
        let mut left = self.prefix()?;
        while let Some((op, strength)) = binary_operator(self.peek().tok) {
            if strength < weakest {
                break;
            }
            let symbol = self.next().span;
            let right = self.expression(strength + 1)?;
            left = self.emit.binary(op, self.text(symbol), left, right)?;
            // `0 < x < 1` would compare a truth value with 1, which nobody means
            if strength == COMPARISON
                && matches!(binary_operator(self.peek().tok), Some((_, COMPARISON)))
            {
                return Err(self.unexpected("`&&`, `||` or the end"));
            }
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed {
        let Token { tok, span } = self.peek();
        if !matches!(tok, Tok::Minus | Tok::Plus | Tok::Not) {
            return self.power();
        }
        self.next();
        self.enter(span)?;
        let operand = self.prefix()?;
        self.leave();
        let span = span.to(operand.span);
        match tok {
            Tok::Minus => Ok(self.emit.negate(operand, span)),
            Tok::Not => self.emit.not(operand, span),
            _ => Ok(operand),
        }
    }

    fn power(&mut self) -> Parsed {
        let base = self.primary()?;
        let Token { tok, span } = self.peek();
        if tok != Tok::Caret {
            return Ok(base);
        }
        self.next();
        self.enter(span)?;
        let exponent = self.prefix()?;
        self.leave();
        let span = base.span.to(exponent.span);
        self.emit.power(base, exponent, span)
    }

    fn primary(&mut self) -> Parsed {
        let Token { tok, span } = self.peek();
        match tok {
            Tok::Number(value) => {
                self.next();
                self.quantity(value, span)
            }
            Tok::Ident => {
                self.next();
                if self.peek().tok == Tok::Open { self.call(span) } else { self.name(span) }
            }
            Tok::Open => {
                self.next();
                self.enter(span)?;
                let inner = self.expression(LOOSEST)?;
                self.leave();
                if self.peek().tok != Tok::Close {
                    return Err(self.unexpected("`)`"));
                }
                let span = span.to(self.next().span);
                Ok(Node { span, ..inner })
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn name(&mut self, span: Span) -> Parsed {
        let name = self.text(span);
        for (word, value) in
            [("nan", f64::NAN), ("inf", f64::INFINITY), ("infinity", f64::INFINITY)]
        {
            if name.eq_ignore_ascii_case(word) {
                return Err(ExprError::new(ExprErrorKind::NonFinite { value }, span));
            }
        }
        match (self.scope.lookup(name), name) {
            (Some(Binding::Const(value, dim)), _) => Ok(self.emit.constant(value, dim, span)),
            (Some(Binding::Var(index)), _) if self.allow_variables => {
                Ok(self.emit.variable(index, span))
            }
            (Some(Binding::Var(_)), _) => {
                let name = name.to_owned();
                Err(ExprError::new(ExprErrorKind::NotConstant { name }, span))
            }
            (None, "pi") => Ok(self.emit.constant(consts::PI, Dim::NONE, span)),
            (None, "tau") => Ok(self.emit.constant(consts::TAU, Dim::NONE, span)),
            (None, "e") => Ok(self.emit.constant(consts::E, Dim::NONE, span)),
            (None, _) => {
                let names = self.scope.names();
                let known = names.iter().map(String::as_str).chain(["pi", "tau"]);
                let suggestion = suggest(name, known).map(str::to_owned);
                let name = name.to_owned();
                let kind = ExprErrorKind::UnknownName { name, suggestion };
                Err(ExprError::new(kind, span))
            }
        }
    }

    fn call(&mut self, name_span: Span) -> Parsed {
        let name = self.text(name_span);
        let function = functions::lookup(name);
        let table = if function.is_none() { self.scope.table(name) } else { None };
        if function.is_none() && table.is_none() {
            let tables = self.scope.tables();
            let mut known: Vec<&str> = functions::names().collect();
            known.extend(tables.iter().map(String::as_str));
            let kind = ExprErrorKind::UnknownFunction {
                name: name.to_owned(),
                suggestion: suggest(name, known.into_iter()).map(str::to_owned),
                is_name: self.scope.lookup(name).is_some(),
            };
            return Err(ExprError::new(kind, name_span));
        }
        let expected = function.map_or(1, |f| f.args);
        let (args, span) = self.arguments(name_span, expected)?;
        match (function, table, &args[..]) {
            (Some(function), _, args) if args.len() == expected => {
                self.emit.call(function, args, span)
            }
            (None, Some(table), [a]) => self.emit.table(name, table, *a, span),
            _ => {
                let (name, found) = (name.to_owned(), args.len());
                let kind = ExprErrorKind::WrongArgumentCount { name, expected, found };
                Err(ExprError::new(kind, span))
            }
        }
    }

    /// The arguments in brackets, and the place of the whole call.
    fn arguments(
        &mut self,
        name_span: Span,
        expected: usize,
    ) -> Result<(Vec<Node>, Span), ExprError> {
        let open = self.next().span;
        self.enter(open)?;
        let mut args = Vec::with_capacity(expected);
        if self.peek().tok != Tok::Close {
            args.push(self.expression(LOOSEST)?);
            while self.peek().tok == Tok::Comma {
                self.next();
                args.push(self.expression(LOOSEST)?);
            }
        }
        if self.peek().tok != Tok::Close {
            return Err(self.unexpected("`,` or `)`"));
        }
        self.leave();
        Ok((args, name_span.to(self.next().span)))
    }
}

#[cfg(test)]
mod tests;
