namespace Optiks.QueryService.Tests;

/// <summary>Damages files that a service has mapped.</summary>
internal static class TestFiles
{
    /// <summary>Flips one bit in the last occurrence of these bytes, without replacing the file.</summary>
    public static async Task FlipAsync(string path, byte[] octets)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        byte[] all = new byte[file.Length];
        await file.ReadExactlyAsync(all, cancellation);
        int at = all.AsSpan().LastIndexOf(octets);
        Assert.True(at >= 0);
        file.Position = at;
        file.WriteByte((byte)(all[at] ^ 1));
    }
}
