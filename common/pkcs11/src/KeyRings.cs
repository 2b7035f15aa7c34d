using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>Loads a <see cref="KeyRing"/> for programs that can use tokens.</summary>
public static class KeyRings
{
    /// <summary>Loads the ring with <see cref="KeyRing.Load(DataFolder, string, Func{string, IKeyCipher}?)"/>, and lets it open keys in
    /// tokens.</summary>
    public static KeyRing Load(DataFolder folder, string? file) => KeyRing.Load(folder, file ?? "", TokenCipher.Open);

    /// <summary>Loads or creates the ring with <see cref="KeyRing.LoadOrCreate"/>, and lets it open keys in tokens.</summary>
    public static KeyRing LoadOrCreate(DataFolder folder, string? file) => KeyRing.LoadOrCreate(folder, file ?? "", TokenCipher.Open);
}
