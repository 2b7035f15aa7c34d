using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>KeyRings loads the key-encryption keys of programs that can use tokens: <see cref="KeyRing"/>.</summary>
public static class KeyRings
{
    /// <summary>Load is <see cref="KeyRing.Load(DataFolder, string, Func{string, IKeyCipher}?)"/>.</summary>
    public static KeyRing Load(DataFolder folder, string? file) => KeyRing.Load(folder, file ?? "", TokenCipher.Open);

    /// <summary>LoadOrCreate is <see cref="KeyRing.LoadOrCreate"/>.</summary>
    public static KeyRing LoadOrCreate(DataFolder folder, string? file) => KeyRing.LoadOrCreate(folder, file ?? "", TokenCipher.Open);
}
