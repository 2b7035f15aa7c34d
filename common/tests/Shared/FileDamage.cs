namespace Optiks.Tests.Shared;

/// <summary>
/// Changes files as a failing disk does. This file is compiled into the tests of programs that must notice damaged files.
/// </summary>
internal static class FileDamage
{
    /// <summary>Flips one bit of one byte.</summary>
    public static async Task FlipAsync(string path, Index octet)
    {
        byte[] octets = await File.ReadAllBytesAsync(path, TestContext.Current.CancellationToken);
        octets[octet] ^= 1;
        await File.WriteAllBytesAsync(path, octets, TestContext.Current.CancellationToken);
    }
}
