using System.Text.Json;
using Optiks.Tlog;

namespace Optiks.Witness.Tests.Support;

/// <summary>Reads the test vectors in tests/vectors/tlog. The README there says which program made each file.</summary>
internal static class Vectors
{
    public static JsonElement Keys { get; } = Load("keys.json");

    public static JsonElement[] Exchanges { get; } = [.. Load("witness-http.json").GetProperty("exchanges").EnumerateArray()];

    /// <summary>The secret key of the witness that gave the recorded answers.</summary>
    public static string WitnessKey { get; } = Keys.GetProperty("witnesses")[0].GetProperty("skey").GetString()!;

    public static VerifierKey Witness { get; } = Key(Keys.GetProperty("witnesses")[0]);

    public static VerifierKey Log { get; } = Key(Keys.GetProperty("log"));

    public static byte[] LogSeed { get; } = Convert.FromHexString(Keys.GetProperty("log").GetProperty("seed_hex").GetString()!);

    /// <summary>The logs that the witness of the recorded answers knew.</summary>
    public static IReadOnlyList<VerifierKey> Logs { get; } =
        [Log, .. Keys.GetProperty("others").EnumerateArray().Select(Key)
            .Where(key => key.Name.StartsWith("optiks.example/log-", StringComparison.Ordinal))];

    /// <summary>The 600 leaf hashes of the log.</summary>
    public static IReadOnlyList<TreeHash> Leaves { get; } =
        [.. Load("log/entries.json").GetProperty("entries").EnumerateArray()
            .Select(entry => Hash(entry.GetProperty("leaf_hash_hex").GetString()!))];

    /// <summary>The roots of the trees of sizes 0 to 600.</summary>
    public static IReadOnlyList<TreeHash> Roots { get; } =
        [.. Load("log/roots.json").GetProperty("root_hex").EnumerateArray().Select(root => Hash(root.GetString()!))];

    public static string Text(this JsonElement element, string name) => element.GetProperty(name).GetString()!;

    private static TreeHash Hash(string hex) => TreeHash.FromBytes(Convert.FromHexString(hex));

    private static VerifierKey Key(JsonElement key) => VerifierKey.TryParse(key.Text("vkey"), out VerifierKey? parsed, out TlogError error)
        ? parsed
        : throw new InvalidDataException($"{error}");

    private static JsonElement Load(string file)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "tlog", file)));
        return document.RootElement.Clone();
    }
}
