#include "compiler/driver/manifest_files.h"

#include "compiler/driver/json.h"

#include <algorithm>

namespace ordo::compiler::driver {

std::vector<std::string> filesOfManifest(const std::string &text) {
  std::vector<std::string> names;
  const Json manifest = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object() || !manifest.contains("ordo_manifest"))
    return names;
  // Walks everything for `"path": "…"`, so that a future schema's files are found as well.
  std::vector<const Json *> todo = {&manifest};
  while (!todo.empty()) {
    const Json &value = *todo.back();
    todo.pop_back();
    if (!value.is_structured())
      continue;
    if (value.is_object() && value.contains("path") && value["path"].is_string()) {
      const std::string name = value["path"];
      if (name.find('/') == std::string::npos && name != "." && name != ".." && !name.empty())
        names.push_back(name);
    }
    for (const Json &item : value)
      todo.push_back(&item);
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace ordo::compiler::driver
