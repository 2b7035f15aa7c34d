namespace Optiks.Tests.Shared;

/// <summary>FileDamage changes files as a failing disk does. Compiled into the tests of those who must notice.</summary>
internal static class FileDamage
{
    /// <summary>FlipAsync changes one bit of one octet.</summary>
    public static async Task FlipAsync(string path, Index octet)
    {
        byte[] octets = await File.ReadAllBytesAsync(path, TestContext.Current.CancellationToken);
        octets[octet] ^= 1;
        await File.WriteAllBytesAsync(path, octets, TestContext.Current.CancellationToken);
    }
}
