// Recursive descent over PTX's statements. Whatever is not understood is an error with its line.
#include "compiler/verify/ptx/lexer.h"
#include "compiler/verify/ptx/syntax.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace ordo::verify::ptx {
namespace {

constexpr int kDeepestOperand = 4;

class Parser {
public:
  explicit Parser(std::string_view text) : tokens_(tokens(text)) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      module_.lines.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  Module run() {
    while (!at(Token::Kind::End))
      topLevel();
    if (module_.version.empty() || module_.target.empty())
      fail("no .version and .target: this is not PTX text");
    return std::move(module_);
  }

private:
  const Token &peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size())
      ++next_;
    return token;
  }
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  bool isMark(char c, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::Mark && peek(ahead).text[0] == c;
  }
  bool isDot(std::string_view text) const { return at(Token::Kind::Dot) && peek().text == text; }
  bool takeMark(char c) {
    if (!isMark(c))
      return false;
    take();
    return true;
  }
  bool takeDot(std::string_view text) {
    if (!isDot(text))
      return false;
    take();
    return true;
  }
  void expect(char c) {
    if (!takeMark(c))
      fail(fmt::format("expected `{}`, found `{}`", c, shown()));
  }
  std::string shown() const {
    return at(Token::Kind::End) ? "the end of the text" : std::string(peek().text);
  }
  [[noreturn]] void fail(const std::string &message) const {
    throw ReadError(peek().line, message);
  }
  std::string word(const char *what) {
    if (!at(Token::Kind::Word))
      fail(fmt::format("expected {}, found `{}`", what, shown()));
    return std::string(take().text);
  }

  std::int64_t integer() {
    const bool isNegative = takeMark('-');
    if (!at(Token::Kind::Number))
      fail(fmt::format("expected a number, found `{}`", shown()));
    std::string_view text = peek().text;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
      base = 16;
      text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0' &&
               text.find_first_not_of("01234567U") == std::string_view::npos) {
      base = 8;
    }
    if (text.ends_with("U"))
      text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("not a number: `{}`", shown()));
    take();
    return static_cast<std::int64_t>(isNegative ? 0 - value : value);
  }

  std::uint32_t smallInteger() {
    const std::int64_t value = integer();
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      fail(fmt::format("{} is out of range", value));
    return static_cast<std::uint32_t>(value);
  }

  void topLevel() {
    bool isExtern = false;
    while (takeDot("visible") || takeDot("weak") || isDot("extern"))
      isExtern |= takeDot("extern");
    if (takeDot("version")) {
      module_.version = std::string(take().text);
      if (takeMark('.'))
        module_.version += "." + std::string(take().text);
    } else if (takeDot("target")) {
      module_.target = word("a target");
      while (takeMark(','))
        if (word("a target's option") == "texmode_independent")
          fail("texmode_independent is not modelled");
    } else if (takeDot("address_size")) {
      module_.addressSize = static_cast<int>(smallInteger());
    } else if (takeDot("entry")) {
      entry();
    } else if (takeDot("func")) {
      function();
    } else if (takeDot("file") || takeDot("loc")) {
      const std::uint32_t line = peek().line;
      while (peek().line == line && !at(Token::Kind::End))
        take();
    } else if (takeDot("pragma")) {
      while (!takeMark(';') && !at(Token::Kind::End))
        take();
    } else if (takeDot("section")) {
      skipBraces();
    } else if (isDot("global") || isDot("const") || isDot("shared")) {
      for (Declaration &declared : declarations(isExtern))
        module_.variables.push_back(std::move(declared));
    } else {
      fail(fmt::format("`{}{}` is not modelled here", at(Token::Kind::Dot) ? "." : "", shown()));
    }
  }

  void skipBraces() {
    while (!isMark('{') && !at(Token::Kind::End))
      take();
    int depth = 0;
    do {
      depth += isMark('{') ? 1 : isMark('}') ? -1 : 0;
      if (at(Token::Kind::End))
        fail("a section that does not end");
      take();
    } while (depth > 0);
  }

  /// Declared or defined beside the kernels: passed over, for a call of it is refused.
  void function() {
    while (!isMark('{') && !isMark(';') && !at(Token::Kind::End))
      take();
    if (!takeMark(';'))
      skipBraces();
  }

  void entry() {
    Entry entry;
    entry.line = peek().line;
    entry.name = word("the kernel's name");
    if (takeMark('(') && !takeMark(')')) {
      do
        entry.parameters.push_back(parameter());
      while (takeMark(','));
      expect(')');
    }
    while (!isMark('{'))
      performance(entry);
    body(entry);
    module_.entries.push_back(std::move(entry));
  }

  Declaration parameter() {
    Declaration p;
    p.line = peek().line;
    p.space = "param";
    if (!takeDot("param"))
      fail(fmt::format("expected .param, found `{}`", shown()));
    while (at(Token::Kind::Dot)) {
      const std::string text(take().text);
      if (text == "align")
        p.alignment = smallInteger();
      else if (text == "ptr") // .ptr .global .align 16
        while (takeDot("global") || takeDot("const") || takeDot("shared") || takeDot("local")) {
        }
      else
        p.type = text;
    }
    p.name = word("the parameter's name");
    array(p);
    return p;
  }

  void performance(Entry &entry) {
    const std::uint32_t line = peek().line;
    if (!at(Token::Kind::Dot))
      fail(fmt::format("expected the kernel's body, found `{}`", shown()));
    const std::string name(take().text);
    std::vector<std::uint32_t> values;
    if (name == "pragma") {
      take();
      takeMark(';');
      return;
    }
    while (at(Token::Kind::Number)) {
      values.push_back(smallInteger());
      takeMark(',');
    }
    if (name == "maxntid")
      entry.maxntid = values;
    else if (name == "reqntid")
      entry.reqntid = values;
    else if (name == "explicitcluster" || name == "reqnctapercluster" || name == "maxclusterrank")
      entry.hasCluster = true;
    else if (name != "minnctapersm" && name != "maxnreg" && name != "maxnctapersm")
      throw ReadError(line, fmt::format("`.{}` is not modelled", name));
  }

  void array(Declaration &d) {
    while (takeMark('[')) {
      const std::int64_t extent = isMark(']') ? 0 : smallInteger();
      d.count = d.count < 0 ? extent : d.count * extent;
      if (d.count > std::int64_t{1} << 32)
        fail("an array this large is not modelled");
      expect(']');
    }
  }

  /// `.reg .b32 %r<5>, %x;`, `.shared .align 4 .b8 buffer[512];`
  std::vector<Declaration> declarations(bool isExtern) {
    Declaration head;
    head.line = peek().line;
    head.isExtern = isExtern;
    head.space = std::string(take().text);
    while (at(Token::Kind::Dot)) {
      const std::string text(take().text);
      if (text == "align")
        head.alignment = smallInteger();
      else if (text == "v2" || text == "v4" || text.find('.') != std::string::npos)
        fail(fmt::format("`.{}` in a declaration is not modelled", text));
      else
        head.type = text;
    }
    std::vector<Declaration> all;
    do {
      Declaration d = head;
      d.name = word("a name");
      if (takeMark('<')) {
        d.count = smallInteger();
        d.isNumbered = true;
        expect('>');
      }
      array(d);
      if (takeMark('=')) {
        d.hasInitialiser = true;
        int depth = 0;
        while (!at(Token::Kind::End) && (depth > 0 || (!isMark(';') && !isMark(',')))) {
          depth += isMark('{') ? 1 : isMark('}') ? -1 : 0;
          take();
        }
      }
      all.push_back(std::move(d));
    } while (takeMark(','));
    expect(';');
    return all;
  }

  void body(Entry &entry) {
    int depth = 0;
    do {
      Statement s;
      s.line = peek().line;
      if (takeMark('{')) {
        ++depth;
        s.kind = Statement::Kind::Open;
      } else if (takeMark('}')) {
        --depth;
        s.kind = Statement::Kind::Close;
      } else if (takeMark(';')) {
        continue;
      } else if (at(Token::Kind::Dot)) {
        bodyDirective(entry);
        continue;
      } else if (at(Token::Kind::Word) && isMark(':', 1)) {
        s.kind = Statement::Kind::Label;
        s.label = std::string(take().text);
        take();
      } else {
        instruction(s);
      }
      entry.body.push_back(std::move(s));
    } while (depth > 0);
  }

  void bodyDirective(Entry &entry) {
    const std::uint32_t line = peek().line;
    if (isDot("reg") || isDot("shared") || isDot("local") || isDot("param")) {
      for (Declaration &declared : declarations(false)) {
        Statement s;
        s.kind = Statement::Kind::Declaration;
        s.line = declared.line;
        s.declaration = std::move(declared);
        entry.body.push_back(std::move(s));
      }
    } else if (takeDot("loc")) {
      while (peek().line == line && !at(Token::Kind::End) && !isMark('}'))
        take();
    } else if (takeDot("pragma")) {
      while (!takeMark(';') && !at(Token::Kind::End))
        take();
    } else {
      fail(fmt::format("`.{}` is not modelled in a kernel's body", shown()));
    }
  }

  void instruction(Statement &s) {
    if (takeMark('@')) {
      s.guardNegated = takeMark('!');
      s.guard = word("a predicate");
    }
    s.opcode = word("an instruction");
    for (std::size_t begin = 0; begin <= s.opcode.size();) {
      const std::size_t end = std::min(s.opcode.find('.', begin), s.opcode.size());
      s.words.push_back(s.opcode.substr(begin, end - begin));
      begin = end + 1;
    }
    if (s.words.front() == "call") // has a syntax of its own, and is refused
      while (!isMark(';') && !at(Token::Kind::End))
        take();
    if (!isMark(';'))
      do
        s.operands.push_back(operand(0));
      while (takeMark(','));
    expect(';');
  }

  Operand operand(int depth) {
    if (depth > kDeepestOperand)
      fail("operands nested this deep are not modelled");
    Operand o = simpleOperand(depth);
    if (takeMark('|')) {
      Operand pair;
      pair.kind = Operand::Kind::Pair;
      pair.parts = {std::move(o), operand(depth + 1)};
      return pair;
    }
    return o;
  }

  Operand simpleOperand(int depth) {
    Operand o;
    if (takeMark('!')) {
      o.negated = true;
      o.name = word("a predicate");
    } else if (takeMark('{')) {
      o.kind = Operand::Kind::Vector;
      do
        o.parts.push_back(operand(depth + 1));
      while (takeMark(','));
      expect('}');
    } else if (takeMark('[')) {
      address(o);
    } else if (at(Token::Kind::Word)) {
      o.name = std::string(take().text);
      if (o.name == "_")
        o.kind = Operand::Kind::Sink;
      if (takeMark('+')) { // a variable's address and an offset
        o.kind = Operand::Kind::Address;
        o.parts.push_back({.kind = Operand::Kind::Name, .name = o.name, .parts = {}});
        o.bits = static_cast<std::uint64_t>(integer());
      }
    } else {
      number(o);
    }
    return o;
  }

  void address(Operand &o) {
    o.kind = Operand::Kind::Address;
    if (at(Token::Kind::Word)) {
      Operand base;
      base.name = std::string(take().text);
      o.parts.push_back(std::move(base));
      if (takeMark('+'))
        o.bits = static_cast<std::uint64_t>(integer());
      else if (isMark('-'))
        o.bits = static_cast<std::uint64_t>(integer());
    } else {
      o.bits = static_cast<std::uint64_t>(integer());
    }
    if (!takeMark(']'))
      fail(fmt::format("an address like this is not modelled: `{}`", shown()));
  }

  void number(Operand &o) {
    const std::string_view text = peek().text;
    const bool isF32 = text.starts_with("0f") || text.starts_with("0F");
    const bool isF64 = text.starts_with("0d") || text.starts_with("0D");
    if (!at(Token::Kind::Number) || (!isF32 && !isF64)) {
      o.kind = Operand::Kind::Integer;
      o.bits = static_cast<std::uint64_t>(integer());
      return;
    }
    o.kind = Operand::Kind::Float;
    o.width = isF32 ? 32 : 64;
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), o.bits, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != 2 + o.width / 4u)
      fail(fmt::format("not a float: `{}`", shown()));
    take();
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  Module module_;
};

} // namespace

Module parse(std::string_view text) { return Parser(text).run(); }

} // namespace ordo::verify::ptx
