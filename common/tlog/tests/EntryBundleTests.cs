namespace Optiks.Tlog.Tests;

public sealed class EntryBundleTests
{
    [Fact]
    public void Lengths_at_their_limits()
    {
        byte[][] entries = [[], [7], new byte[65535]];
        byte[] bundle = [.. entries.SelectMany(entry => EntryBundle.EncodeEntry(entry))];

        Assert.Equal(6 + 1 + 65535, bundle.Length);
        Assert.Equal([0, 0, 0, 1, 7, 0xff, 0xff], bundle[..7]);
        Assert.True(EntryBundle.TryParse(bundle, 3, out IReadOnlyList<ReadOnlyMemory<byte>>? parsed));
        Assert.Equal(entries, parsed.Select(entry => entry.ToArray()));
        Assert.Throws<ArgumentException>(() => EntryBundle.EncodeEntry(new byte[65536]));
    }

    [Theory]
    [InlineData("000101000102", 2, true)]
    [InlineData("000101000102", 1, false)]
    [InlineData("000101000102", 3, false)]
    [InlineData("000101000102", 0, false)]
    [InlineData("000101000102", 257, false)]
    [InlineData("00010100010200", 2, false)]
    [InlineData("0001010001", 2, false)]
    [InlineData("00010100", 2, false)]
    [InlineData("", 1, false)]
    [InlineData("0000", 1, true)]
    public void Bundle_holds_exactly_its_entries(string hex, int numEntries, bool good) =>
        Assert.Equal(good, EntryBundle.TryParse(Convert.FromHexString(hex), numEntries, out _));

    [Fact]
    public void Trimmed_bundle_is_the_partial_one()
    {
        byte[] full = Convert.FromHexString("000101000102");

        Assert.True(EntryBundle.TryTrim(full, 1, out ReadOnlyMemory<byte> trimmed));
        Assert.Equal(full[..3], trimmed.ToArray());
        Assert.False(EntryBundle.TryTrim(full, 3, out _));
    }
}
