# Compiles the parts of libsodium that a client and its tests use, for platforms for which Debian has no libsodium. The
# source is the one that eng/libsodium.sh downloads. Defines PkgConfig::SODIUM, as the other builds do.
set(sodium "${PROJECT_SOURCE_DIR}/build/libsodium/source/src/libsodium")
if(NOT EXISTS "${sodium}")
  message(FATAL_ERROR "The source of libsodium is missing: run eng/libsodium.sh")
endif()
add_library(optiks_sodium STATIC
  ${sodium}/crypto_core/ed25519/ref10/ed25519_ref10.c
  ${sodium}/crypto_hash/sha512/cp/hash_sha512_cp.c
  ${sodium}/crypto_hash/sha512/hash_sha512.c
  ${sodium}/crypto_sign/crypto_sign.c
  ${sodium}/crypto_sign/ed25519/ref10/keypair.c
  ${sodium}/crypto_sign/ed25519/ref10/open.c
  ${sodium}/crypto_sign/ed25519/ref10/sign.c
  ${sodium}/crypto_sign/ed25519/sign_ed25519.c
  ${sodium}/crypto_verify/sodium/verify.c
  ${sodium}/randombytes/randombytes.c
  ${sodium}/randombytes/sysrandom/randombytes_sysrandom.c
  ${sodium}/sodium/codecs.c
  ${sodium}/sodium/core.c
  ${sodium}/sodium/utils.c)
# Without HAVE_TI_MODE, the arithmetic is that for 32-bit processors. It takes half the time of the other one in wasm,
# which has no product of 128 bits.
target_compile_definitions(optiks_sodium PRIVATE CONFIGURED=1 NATIVE_LITTLE_ENDIAN=1 SODIUM_STATIC=1
  $<$<STREQUAL:${CMAKE_SYSTEM_NAME},WASI>:_WASI_EMULATED_SIGNAL>
  $<$<NOT:$<STREQUAL:${CMAKE_SYSTEM_NAME},WASI>>:HAVE_TI_MODE>)
target_include_directories(optiks_sodium SYSTEM PUBLIC ${sodium}/include)
target_include_directories(optiks_sodium PRIVATE ${sodium}/include/sodium)
target_compile_definitions(optiks_sodium PUBLIC SODIUM_STATIC=1)
set_target_properties(optiks_sodium PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
# The linker removes functions that nothing calls, and with them their calls of the parts of libsodium that are not here.
target_compile_options(optiks_sodium PRIVATE -ffunction-sections -fdata-sections)
target_link_options(optiks_sodium INTERFACE -Wl,--gc-sections)
add_library(PkgConfig::SODIUM ALIAS optiks_sodium)
