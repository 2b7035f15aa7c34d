using System.Text.Json;

namespace Optiks.Tlog.Tests;

/// <summary>Reads tests/vectors/tlog, whose README says which program made each file.</summary>
internal static class Vectors
{
    public static string Folder { get; } = Path.Combine(AppContext.BaseDirectory, "vectors", "tlog");

    public static string TreeFolder { get; } = Path.Combine(Folder, "log", "tree");

    public static JsonElement Notes { get; } = Load("notes.json");

    public static JsonElement Keys { get; } = Load("keys.json");

    public static JsonElement Cosignatures { get; } = Load("cosignatures.json");

    public static JsonElement Inclusion { get; } = Load("inclusion.json");

    public static JsonElement Consistency { get; } = Load("consistency.json");

    public static JsonElement Proofs { get; } = Load("tlog-proof.json");

    public static JsonElement Sizes { get; } = Load("log/sizes.json").GetProperty("sizes");

    /// <summary>The 600 entries of the log in the test vectors.</summary>
    public static IReadOnlyList<byte[]> Entries { get; } =
    [
        .. Load("log/entries.json").GetProperty("entries").EnumerateArray()
            .Select(entry => entry.GetProperty("data_base64").GetBytesFromBase64()),
    ];

    /// <summary>The roots of the log's trees of sizes 0 to 600.</summary>
    public static IReadOnlyList<TreeHash> Roots { get; } =
        [.. Load("log/roots.json").GetProperty("root_hex").EnumerateArray().Select(root => Hash(root.GetString()!))];

    public static VerifierKey LogKey { get; } = Key(Keys.GetProperty("log").GetProperty("vkey").GetString()!);

    public static IReadOnlyList<VerifierKey> Witnesses { get; } =
        [.. Keys.GetProperty("witnesses").EnumerateArray().Select(witness => Key(witness.GetProperty("vkey").GetString()!))];

    public static VerifierKey Key(string vkey) =>
        VerifierKey.TryParse(vkey, out VerifierKey? key, out TlogError error) ? key : throw new InvalidDataException($"{vkey}: {error}");

    public static TreeHash Hash(string hex) => TreeHash.FromBytes(Convert.FromHexString(hex));

    public static string Text(this JsonElement element, string name) => element.GetProperty(name).GetString()!;

    /// <summary>
    /// Reads the proof of a test vector. Returns false if one of the proof's hashes does not have 32 bytes, because such a proof cannot be
    /// passed to a verifier.
    /// </summary>
    public static bool TryHashes(JsonElement vector, out List<TreeHash> hashes)
    {
        hashes = [];
        foreach (JsonElement hex in vector.GetProperty("proof_hex").EnumerateArray())
        {
            if (!TreeHash.TryFromBytes(Convert.FromHexString(hex.GetString()!), out TreeHash hash))
            {
                return false;
            }
            hashes.Add(hash);
        }
        return true;
    }

    private static JsonElement Load(string file)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Folder, file)));
        return document.RootElement.Clone();
    }
}
