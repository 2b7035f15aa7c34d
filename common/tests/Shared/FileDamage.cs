namespace Optiks.Tests.Shared;

/// <summary>
/// Changes files as a failing disk does. This file is compiled into the tests of programs that must notice damaged files.
/// </summary>
internal static class FileDamage
{
    /// <summary>Flips one bit of the byte at this position of a file.</summary>
    public static async Task FlipAsync(string path, Index octet)
    {
        byte[] octets = await File.ReadAllBytesAsync(path, TestContext.Current.CancellationToken);
        octets[octet] ^= 1;
        await File.WriteAllBytesAsync(path, octets, TestContext.Current.CancellationToken);
    }

    /// <summary>Finds the last place of these bytes in a file, and flips one bit there. A program may have the file open.</summary>
    public static async Task FlipAsync(string path, ReadOnlyMemory<byte> octets)
    {
        await using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        byte[] all = new byte[file.Length];
        await file.ReadExactlyAsync(all, TestContext.Current.CancellationToken);
        int at = all.AsSpan().LastIndexOf(octets.Span);
        Assert.True(at >= 0);
        file.Position = at;
        file.WriteByte((byte)(all[at] ^ 1));
    }
}
