#include "compiler/verify/gcn/metadata.h"
#include "compiler/verify/gcn/descriptor.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <fmt/format.h>

namespace ordo::verify::gcn {
namespace {

using llvm::msgpack::DocNode;
using llvm::msgpack::MapDocNode;

/// The entry `key` of a map, or null.
DocNode *entry(MapDocNode &map, const char *key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::uint64_t number(MapDocNode &map, const char *key) {
  DocNode *node = entry(map, key);
  if (node != nullptr && node->getKind() == llvm::msgpack::Type::UInt)
    return node->getUInt();
  if (node != nullptr && node->getKind() == llvm::msgpack::Type::Int && node->getInt() >= 0)
    return static_cast<std::uint64_t>(node->getInt());
  throw ReadError(fmt::format("the metadata's {} is missing or no number", key));
}

std::string text(MapDocNode &map, const char *key) {
  DocNode *node = entry(map, key);
  if (node == nullptr || !node->isString())
    throw ReadError(fmt::format("the metadata's {} is missing or no string", key));
  return node->getString().str();
}

KernelArgument argument(DocNode &node) {
  if (!node.isMap())
    throw ReadError("an argument in the metadata is no map");
  MapDocNode &map = node.getMap();
  KernelArgument argument;
  argument.offset = static_cast<std::uint32_t>(number(map, ".offset"));
  argument.bytes = static_cast<std::uint32_t>(number(map, ".size"));
  const std::string kind = text(map, ".value_kind");
  argument.isPointer = kind == "global_buffer";
  argument.isHidden = kind.starts_with("hidden_");
  if (!argument.isPointer && !argument.isHidden && kind != "by_value")
    throw ReadError(fmt::format("an argument of kind {}, which is not modelled", kind));
  return argument;
}

void requireEqual(std::uint64_t metadata, std::uint64_t descriptor, const char *what) {
  if (metadata != descriptor)
    throw ReadError(fmt::format("the metadata states {} {}, the kernel descriptor {}", metadata,
                                what, descriptor));
}

void readKernel(MapDocNode &map, KernelObject &kernel) {
  requireEqual(number(map, ".wavefront_size"), static_cast<std::uint64_t>(kernel.waveSize),
               "lanes a wavefront");
  requireEqual(number(map, ".group_segment_fixed_size"), kernel.ldsBytes, "bytes of LDS");
  requireEqual(number(map, ".kernarg_segment_size"), kernel.kernargBytes, "bytes of arguments");
  kernel.largestBlock = static_cast<std::uint32_t>(number(map, ".max_flat_workgroup_size"));
  if (DocNode *block = entry(map, ".reqd_workgroup_size")) {
    if (!block->isArray() || block->getArray().size() != 3)
      throw ReadError("the metadata's .reqd_workgroup_size is no list of three");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      DocNode &size = block->getArray()[axis];
      if (size.getKind() != llvm::msgpack::Type::UInt)
        throw ReadError("the metadata's .reqd_workgroup_size holds no number");
      kernel.requiredBlock[axis] = static_cast<std::uint32_t>(size.getUInt());
    }
  }
  std::uint32_t end = 0;
  if (DocNode *list = entry(map, ".args")) {
    if (!list->isArray())
      throw ReadError("the metadata's .args is no list");
    for (DocNode &node : list->getArray()) {
      const KernelArgument each = argument(node);
      if (each.offset < end || each.bytes > kernel.kernargBytes ||
          each.offset > kernel.kernargBytes - each.bytes)
        throw ReadError("arguments overlap, go back or leave the kernarg segment");
      end = each.offset + each.bytes;
      kernel.arguments.push_back(each);
    }
  }
}

} // namespace

void readMetadata(std::string_view note, KernelObject &kernel) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(llvm::StringRef(note.data(), note.size()), false) ||
      !document.getRoot().isMap())
    throw ReadError("the metadata note is no MessagePack map");
  DocNode *list = entry(document.getRoot().getMap(), "amdhsa.kernels");
  if (list == nullptr || !list->isArray())
    throw ReadError("the metadata has no list amdhsa.kernels");
  for (DocNode &node : list->getArray()) {
    if (!node.isMap())
      throw ReadError("a kernel in the metadata is no map");
    if (text(node.getMap(), ".symbol") == kernel.name + ".kd")
      return readKernel(node.getMap(), kernel);
  }
  throw ReadError(fmt::format("the metadata does not know {}", kernel.name));
}

} // namespace ordo::verify::gcn
