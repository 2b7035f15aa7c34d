#include "saved_support.h"

#include <filesystem>
#include <fstream>

#include "optiks/base/crc32c.h"

namespace optiks::ozks::test {

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const Bytes& octets) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
}

std::int32_t restore(const std::string& snapshot, const std::string& log, DirectoryHandle& out,
                     const std::function<void(optiks_dir_options_t&)>& change) {
  const std::string copy = log + "-copy";
  std::filesystem::copy_file(log, copy, std::filesystem::copy_options::overwrite_existing);
  optiks_dir_options_t options = options_with(copy.c_str());
  if (change) {
    change(options);
  }
  optiks_dir_t* dir = nullptr;
  const std::int32_t status = optiks_dir_restore(&options, snapshot.c_str(), &dir);
  EXPECT_EQ(dir != nullptr, status == OPTIKS_OK);
  out.reset(dir);
  return status;
}

Bytes one_block(const Bytes& payload) {
  Bytes file;
  for (const auto& [number, content] : {std::make_pair(std::uint64_t{0}, payload), {std::uint64_t{1}, Bytes()}}) {
    Bytes numbered(8);
    base::store_be64(numbered.data(), number);
    Bytes header(8);
    base::store_be32(header.data(), static_cast<std::uint32_t>(content.size()));
    base::store_be32(header.data() + 4, base::crc32c(content, base::crc32c(numbered)));
    file.insert(file.end(), header.begin(), header.end());
    file.insert(file.end(), content.begin(), content.end());
  }
  return file;
}

Bytes payload_of(const Bytes& file) {
  Bytes payload(file.begin() + 8, file.end() - 8);
  EXPECT_EQ(one_block(payload), file);
  return payload;
}

}  // namespace optiks::ozks::test
