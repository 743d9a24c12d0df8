//! A compact form of the syntax tree, for tests to compare with.

use crate::ast::*;
use crate::intern::{Interner, Symbol};

/// Writes the nodes of one external declaration.
pub(super) struct Dump<'a> {
    pub(super) ast: &'a Ast,
    pub(super) names: &'a Interner,
}

impl Dump<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.names.name(symbol)
    }

    pub(super) fn external(&self, declaration: &ExternalDecl) -> String {
        match declaration {
            ExternalDecl::Function(function) => {
                let parameters: String = function
                    .kr_params
                    .iter()
                    .map(|parameter| format!(" {}", self.declaration(parameter)))
                    .collect();
                format!(
                    "(fun {}{parameters} {})",
                    self.declarator(&function.specs, &function.declarator),
                    self.stmt(function.body)
                )
            }
            ExternalDecl::Declaration(declaration) => self.declaration(declaration),
            ExternalDecl::StaticAssert(assertion) => self.static_assert(assertion),
            ExternalDecl::Asm(..) => "(asm)".to_owned(),
        }
    }

    fn static_assert(&self, assertion: &StaticAssert) -> String {
        let message = assertion
            .message
            .map(|message| format!(" {}", self.expr(message)));
        format!(
            "(static-assert {}{})",
            self.expr(assertion.cond),
            message.unwrap_or_default()
        )
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        if declaration.declarators.is_empty() {
            return format!("(decl {})", self.specs(&declaration.specs));
        }
        let parts: Vec<String> = declaration
            .declarators
            .iter()
            .map(|declarator| {
                let mut text = self.declarator(&declaration.specs, &declarator.declarator);
                text.push_str(&self.attrs(&declarator.attrs));
                if let Some(init) = &declarator.init {
                    text.push_str(&format!(" = {}", self.init(init)));
                }
                text
            })
            .collect();
        format!("(decl {})", parts.join("; "))
    }

    /// `name: derivations type`, as one would say it.
    fn declarator(&self, specs: &DeclSpecs, declarator: &Declarator) -> String {
        let mut text = match declarator.name {
            Some(name) => format!("{}: ", self.name(name)),
            None => String::new(),
        };
        for derived in declarator.derived.iter().rev() {
            match derived {
                Derived::Pointer(quals) => {
                    text.push_str(&self.quals(*quals));
                    text.push_str("ptr ");
                }
                Derived::Array(ArraySize::Unspecified) => text.push_str("array[] "),
                Derived::Array(ArraySize::Star) => text.push_str("array[*] "),
                Derived::Array(ArraySize::Expr(size)) => {
                    text.push_str(&format!("array[{}] ", self.expr(*size)));
                }
                Derived::Function(function) => {
                    let mut parts: Vec<String> = function
                        .params
                        .iter()
                        .map(|param| self.declarator(&param.specs, &param.declarator))
                        .collect();
                    parts.extend(
                        function
                            .kr_names
                            .iter()
                            .map(|&(name, _)| self.name(name).to_owned()),
                    );
                    if function.variadic {
                        parts.push("...".to_owned());
                    }
                    if function.unspecified {
                        parts.push("?".to_owned());
                    }
                    text.push_str(&format!("fn({}) ", parts.join(", ")));
                }
            }
        }
        text + &self.specs(specs)
    }

    fn type_name(&self, ty: &TypeName) -> String {
        self.declarator(&ty.specs, &ty.declarator)
    }

    fn quals(&self, quals: Quals) -> String {
        let mut text = String::new();
        for (set, word) in [
            (quals.is_const, "const "),
            (quals.is_volatile, "volatile "),
            (quals.is_restrict, "restrict "),
            (quals.is_atomic, "atomic "),
        ] {
            if set {
                text.push_str(word);
            }
        }
        text
    }

    fn specs(&self, specs: &DeclSpecs) -> String {
        let mut text = String::new();
        if let Some(storage) = specs.storage {
            text.push_str(&format!("{storage:?} ").to_lowercase());
        }
        for (set, word) in [
            (specs.thread_local, "thread "),
            (specs.inline, "inline "),
            (specs.noreturn, "noreturn "),
        ] {
            if set {
                text.push_str(word);
            }
        }
        for alignas in &specs.alignas {
            let operand = match alignas {
                Alignas::Expr(expr) => self.expr(*expr),
                Alignas::Type(ty) => self.type_name(ty),
            };
            text.push_str(&format!("alignas({operand}) "));
        }
        text.push_str(&self.quals(specs.quals));
        text.push_str(&self.type_spec(&specs.ty));
        text + &self.attrs(&specs.attrs)
    }

    fn type_spec(&self, ty: &TypeSpec) -> String {
        match ty {
            TypeSpec::Basic(BasicType::Int(kind)) => format!("{kind:?}").to_lowercase(),
            TypeSpec::Basic(BasicType::Float(kind)) => format!("{kind:?}").to_lowercase(),
            TypeSpec::Basic(basic) => format!("{basic:?}").to_lowercase(),
            TypeSpec::Typedef(name) => self.name(*name).to_owned(),
            TypeSpec::Record(record) => {
                let word = if record.is_union { "union" } else { "struct" };
                let mut text = format!(
                    "{word}{}{}",
                    self.tag(record.tag),
                    self.attrs(&record.attrs)
                );
                if let Some(members) = &record.members {
                    let members: Vec<String> = members.iter().map(|m| self.member(m)).collect();
                    text.push_str(&format!(" {{{}}}", members.join("; ")));
                }
                text
            }
            TypeSpec::Enum(spec) => {
                let mut text = format!("enum{}{}", self.tag(spec.tag), self.attrs(&spec.attrs));
                if let Some(enumerators) = &spec.enumerators {
                    let names: Vec<String> = enumerators
                        .iter()
                        .map(|enumerator| match enumerator.value {
                            Some(value) => {
                                format!("{} = {}", self.name(enumerator.name), self.expr(value))
                            }
                            None => self.name(enumerator.name).to_owned(),
                        })
                        .collect();
                    text.push_str(&format!(" {{{}}}", names.join(", ")));
                }
                text
            }
            TypeSpec::TypeofExpr(expr) => format!("typeof({})", self.expr(*expr)),
            TypeSpec::TypeofType(ty) => format!("typeof({})", self.type_name(ty)),
            TypeSpec::Auto => "auto-type".to_owned(),
            TypeSpec::ImplicitInt => "implicit-int".to_owned(),
            TypeSpec::Unsupported(name) => format!("unsupported({name})"),
        }
    }

    fn tag(&self, tag: Option<Symbol>) -> String {
        tag.map_or(String::new(), |tag| format!(" {}", self.name(tag)))
    }

    fn member(&self, member: &MemberDecl) -> String {
        match member {
            MemberDecl::StaticAssert(assertion) => self.static_assert(assertion),
            MemberDecl::Field(field) if field.declarators.is_empty() => self.specs(&field.specs),
            MemberDecl::Field(field) => {
                let parts: Vec<String> = field
                    .declarators
                    .iter()
                    .map(|declarator| {
                        let mut text = self.declarator(&field.specs, &declarator.declarator);
                        if let Some(width) = declarator.width {
                            text.push_str(&format!(" : {}", self.expr(width)));
                        }
                        text + &self.attrs(&declarator.attrs)
                    })
                    .collect();
                parts.join(", ")
            }
        }
    }

    fn attrs(&self, attrs: &[Attribute]) -> String {
        attrs
            .iter()
            .map(|attr| {
                let args: Vec<String> = attr.args.iter().map(|&arg| self.expr(arg)).collect();
                if args.is_empty() {
                    format!(" @{}", self.name(attr.name))
                } else {
                    format!(" @{}({})", self.name(attr.name), args.join(" "))
                }
            })
            .collect()
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Expr(expr) => self.expr(*expr),
            Init::List(list) => self.init_list(list),
        }
    }

    fn init_list(&self, list: &InitList) -> String {
        let items: Vec<String> = list
            .items
            .iter()
            .map(|item| {
                let path = self.designators(&item.designators);
                let equals = if path.is_empty() { "" } else { " = " };
                format!("{path}{equals}{}", self.init(&item.init))
            })
            .collect();
        format!("{{{}}}", items.join(", "))
    }

    fn designators(&self, designators: &[Designator]) -> String {
        designators
            .iter()
            .map(|designator| match designator {
                Designator::Index(index, _) => format!("[{}]", self.expr(*index)),
                Designator::Range(first, last, _) => {
                    format!("[{} ... {}]", self.expr(*first), self.expr(*last))
                }
                Designator::Field(name, _) => format!(".{}", self.name(*name)),
            })
            .collect()
    }

    pub(super) fn expr(&self, id: ExprId) -> String {
        let e = |id: &ExprId| self.expr(*id);
        match &self.ast.exprs[id].kind {
            ExprKind::Ident(name) => self.name(*name).to_owned(),
            ExprKind::Int(int) => format!(
                "{}{}{}",
                int.value,
                if int.unsigned { "u" } else { "" },
                "l".repeat(int.longs.into())
            ),
            ExprKind::Float(text, suffix) => format!("{}:{suffix:?}", self.name(*text)),
            ExprKind::Char(value, Encoding::Plain) => format!("'{value}"),
            ExprKind::Char(value, encoding) => format!("{encoding:?}'{value}"),
            ExprKind::Str(literal) => {
                let prefix = match literal.encoding {
                    Encoding::Plain => String::new(),
                    encoding => format!("{encoding:?}"),
                };
                let text: String = literal
                    .units
                    .iter()
                    .map(|&unit| match char::from_u32(unit) {
                        Some(c) if c.is_ascii_graphic() || c == ' ' => c.to_string(),
                        _ => format!("<{unit:x}>"),
                    })
                    .collect();
                format!("{prefix}\"{text}\"")
            }
            ExprKind::FunctionName => "(function-name)".to_owned(),
            ExprKind::Call(callee, args) => {
                let args: String = args.iter().map(|arg| format!(" {}", e(arg))).collect();
                format!("(call {}{args})", e(callee))
            }
            ExprKind::Index(base, index) => format!("(index {} {})", e(base), e(index)),
            ExprKind::Member {
                base, name, arrow, ..
            } => {
                let op = if *arrow { "->" } else { "." };
                format!("({op} {} {})", e(base), self.name(*name))
            }
            ExprKind::IncDec {
                arg,
                increment,
                prefix,
            } => {
                let op = if *increment { "++" } else { "--" };
                let place = if *prefix { "pre" } else { "post" };
                format!("({place}{op} {})", e(arg))
            }
            ExprKind::Unary(op, arg) => format!("({op:?} {})", e(arg)),
            ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", e(left), e(right)),
            ExprKind::Cond(cond, Some(then), otherwise) => {
                format!("(? {} {} {})", e(cond), e(then), e(otherwise))
            }
            ExprKind::Cond(cond, None, otherwise) => format!("(?: {} {})", e(cond), e(otherwise)),
            ExprKind::Assign(None, left, right) => format!("(= {} {})", e(left), e(right)),
            ExprKind::Assign(Some(op), left, right) => {
                format!("({op:?}= {} {})", e(left), e(right))
            }
            ExprKind::Comma(left, right) => format!("(, {} {})", e(left), e(right)),
            ExprKind::Cast(ty, arg) => format!("(cast [{}] {})", self.type_name(ty), e(arg)),
            ExprKind::SizeofExpr(arg) => format!("(sizeof {})", e(arg)),
            ExprKind::SizeofType(ty) => format!("(sizeof [{}])", self.type_name(ty)),
            ExprKind::AlignofExpr(arg) => format!("(alignof {})", e(arg)),
            ExprKind::PreferredAlignofType(ty) => {
                format!("(alignof preferred [{}])", self.type_name(ty))
            }
            ExprKind::AlignofType(ty) => format!("(alignof [{}])", self.type_name(ty)),
            ExprKind::CompoundLiteral(ty, list) => {
                format!(
                    "(literal [{}] {})",
                    self.type_name(ty),
                    self.init_list(list)
                )
            }
            ExprKind::StmtExpr(body) => format!("(stmt-expr {})", self.stmt(*body)),
            ExprKind::Generic(control, associations) => {
                let parts: String = associations
                    .iter()
                    .map(|(ty, value)| {
                        let ty = ty
                            .as_ref()
                            .map_or("default".to_owned(), |ty| self.type_name(ty));
                        format!(" [{ty}] {}", e(value))
                    })
                    .collect();
                format!("(generic {}{parts})", e(control))
            }
            ExprKind::Offsetof(ty, path) => {
                format!(
                    "(offsetof [{}] {})",
                    self.type_name(ty),
                    self.designators(path)
                )
            }
            ExprKind::VaArg(list, ty) => format!("(va-arg {} [{}])", e(list), self.type_name(ty)),
            ExprKind::TypesCompatible(a, b) => {
                format!(
                    "(compatible [{}] [{}])",
                    self.type_name(a),
                    self.type_name(b)
                )
            }
            ExprKind::ChooseExpr(cond, a, b) => {
                format!("(choose {} {} {})", e(cond), e(a), e(b))
            }
            ExprKind::LabelAddr(name) => format!("(label {})", self.name(*name)),
            ExprKind::Unsupported(what) => format!("(unsupported {what})"),
        }
    }

    fn stmts(&self, ids: &[StmtId]) -> String {
        let texts: Vec<String> = ids.iter().map(|&id| self.stmt(id)).collect();
        texts.join(" ")
    }

    pub(super) fn stmt(&self, id: StmtId) -> String {
        let e = |id: &ExprId| self.expr(*id);
        let s = |id: &StmtId| self.stmt(*id);
        match &self.ast.stmts[id].kind {
            StmtKind::Expr(None) => ";".to_owned(),
            StmtKind::Expr(Some(expr)) => e(expr),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::Block(statements) => format!("{{{}}}", self.stmts(statements)),
            StmtKind::Sequence(statements) => format!("<{}>", self.stmts(statements)),
            StmtKind::If { arms, otherwise } => {
                let arms: String = arms
                    .iter()
                    .map(|(cond, then)| format!(" {} {}", e(cond), s(then)))
                    .collect();
                let otherwise = otherwise.map(|body| format!(" else {}", s(&body)));
                format!("(if{arms}{})", otherwise.unwrap_or_default())
            }
            StmtKind::While(cond, body) => format!("(while {} {})", e(cond), s(body)),
            StmtKind::DoWhile(body, cond) => format!("(do {} {})", s(body), e(cond)),
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => format!(
                "(for {} {} {} {})",
                init.as_ref().map_or("-".to_owned(), s),
                cond.as_ref().map_or("-".to_owned(), e),
                step.as_ref().map_or("-".to_owned(), e),
                s(body)
            ),
            StmtKind::Switch(value, body) => format!("(switch {} {})", e(value), s(body)),
            StmtKind::Case(first, None) => format!("(case {})", e(first)),
            StmtKind::Case(first, Some(last)) => format!("(case {} {})", e(first), e(last)),
            StmtKind::Default => "(default)".to_owned(),
            StmtKind::Label(name) => format!("(label {})", self.name(*name)),
            StmtKind::LocalLabels(names) => {
                let names: String = names
                    .iter()
                    .map(|&n| format!(" {}", self.name(n)))
                    .collect();
                format!("(local-labels{names})")
            }
            StmtKind::Goto(name) => format!("(goto {})", self.name(*name)),
            StmtKind::GotoComputed(target) => format!("(goto* {})", e(target)),
            StmtKind::Break => "(break)".to_owned(),
            StmtKind::Continue => "(continue)".to_owned(),
            StmtKind::Return(None) => "(return)".to_owned(),
            StmtKind::Return(Some(value)) => format!("(return {})", e(value)),
            StmtKind::Asm(asm) => {
                let list = |ids: &[ExprId]| -> String {
                    ids.iter().map(|id| format!(" {}", e(id))).collect()
                };
                format!(
                    "(asm{} :{} :{})",
                    if asm.empty_template { " empty" } else { "" },
                    list(&asm.outputs),
                    list(&asm.inputs)
                )
            }
            StmtKind::Unsupported(what) => format!("(unsupported {what})"),
        }
    }
}
