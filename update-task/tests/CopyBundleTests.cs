using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests the bundles of copies that the task keeps next to the board: their contents, the erasure of values from them, and how long they
/// are kept.
/// </summary>
public sealed class CopyBundleTests
{
    private static readonly byte[] s_secrets = "wrapped secrets"u8.ToArray();

    [Fact]
    public void A_bundle_of_copies_is_read_as_it_was_written_or_refused()
    {
        CopyBundle bundle = Bundle(7, 0);
        byte[] octets = bundle.Encode().ToArray();
        var read = CopyBundle.Decode(octets);
        Assert.Equal((7UL, 1UL, 0), (read.After, read.Copies.Period, read.Copies.First));
        Assert.Equal(s_secrets, read.WrappedSecrets.ToArray());
        Assert.Equal(bundle.Copies.Sources.ToArray(), read.Copies.Sources.ToArray());
        Assert.Equal("other"u8.ToArray(), read.Copies.Value(1).ToArray());
        Assert.Equal("b"u8.ToArray(), read.Copies.Key(1).ToArray());
        read.Copies.ThrowIfInconsistent();
        Assert.Equal(octets, read.Encode().ToArray());

        // A bundle must be refused if it is cut off anywhere or if any byte is changed. The first bundle of a period must have the period's
        // secrets, and other bundles must not have them.
        for (int length = 0; length < octets.Length; length++)
        {
            Assert.Throws<StorageCorruptException>(() => CopyBundle.Decode(octets.AsMemory(0, length)));
            byte[] changed = [.. octets];
            changed[length] ^= 1;
            Assert.Throws<StorageCorruptException>(() => CopyBundle.Decode(changed));
        }
        Assert.Throws<StorageCorruptException>(() => CopyBundle.Decode((Bundle(7, 3) with { WrappedSecrets = s_secrets }).Encode()));
        Assert.Throws<StorageCorruptException>(() => CopyBundle.Decode((bundle with { WrappedSecrets = default }).Encode()));
    }

    [Theory]
    [InlineData("12.3.4096.copies", true)]
    [InlineData("0.1.0.copies", true)]
    [InlineData("012.3.4096.copies", false)]
    [InlineData("12.3.-1.copies", false)]
    [InlineData("12.3.4294967296.copies", false)]
    [InlineData("12.3.copies", false)]
    [InlineData("12.3.4096.copies.tmp", false)]
    [InlineData("12.bundle", false)]
    public void Names_are_read_exactly(string name, bool isName)
    {
        Assert.Equal(isName, CopyBundleName.TryParse(name, out CopyBundleName parsed));
        Assert.Equal(isName, parsed.FileName == name);
    }

    [Fact]
    public void An_epoch_that_erases_copies_or_begins_a_period_has_a_bundle_that_says_so()
    {
        var origin = new LeafOrigin(Guid.CreateVersion7(), 0);
        byte[] record = new EpochRecord
        {
            LogId = new byte[32],
            Epoch = 9,
            Period = 1,
            PeriodFirstEpoch = 9,
            TimeMs = 1,
            Structures = [.. Enumerable.Range(0, 4).Select(_ => new StructureState(new byte[32], 0, new byte[32]))],
            Previous = new byte[32],
        }.Encode();
        var plain = new EpochContent(
            new EpochRow(9, record, EpochRecord.Hash(record), default), LeafBatch.Empty, [])
        { Erasures = [new Erasure(3, 1, origin)] };
        EpochContent[] contents =
        [
            plain,
            plain with { Switch = new PeriodSwitch(1, 77) },
            plain with { Erasures = [new Erasure(3, 1, origin), new Erasure(0, 5, origin) { Period = 1 }] },
        ];
        foreach (EpochContent content in contents)
        {
            ReadOnlyMemory<byte> octets = EpochBundle.Encode(content);
            // A bundle that neither erases copies nor begins a period uses the earlier format 2, which older programs can read.
            Assert.Equal(ReferenceEquals(content, plain) ? "optiks epoch 2\n"u8.ToArray() : "optiks epoch 3\n"u8.ToArray(),
                octets[..15].ToArray());
            EpochContent read = EpochBundle.Decode(octets);
            Assert.Equal(content.Erasures, read.Erasures);
            Assert.Equal(content.Switch, read.Switch);
            Assert.Equal(octets.ToArray(), EpochBundle.Encode(read).ToArray());
        }
    }

    [Fact]
    public async Task What_is_erased_leaves_the_bundles_of_copies_and_old_ones_go()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var board = new BoardFolder(folder.Data);
        board.Create();
        var state = new BoardState(board);
        state.RecordCopies(Bundle(2, 0));
        state.RecordCopies(Bundle(2, 3));
        state.RecordCopies(Bundle(4, 6));
        Assert.Equal(["2.1.0.copies", "2.1.3.copies", "4.1.6.copies"], Names(board));

        // The test makes a new BoardState, like a process that has taken over. This object erases values of copies from the bundles.
        state = new BoardState(board);
        var origin = new LeafOrigin(Guid.CreateVersion7(), 0);
        byte[] record = new byte[EpochRecord.Length];
        var content = new EpochContent(new EpochRow(0, record, EpochRecord.Hash(record), default), LeafBatch.Empty, [])
        {
            Erasures = [new Erasure(0, 4, origin) { Period = 1 }, new Erasure(0, 6, origin) { Period = 1 },
                new Erasure(0, 0, origin) { Period = 2 }],
        };
        state.Record(content);
        Assert.Equal([true, true, false], HaveValues(board, "2.1.0.copies"));
        Assert.Equal([true, false, false], HaveValues(board, "2.1.3.copies"));
        Assert.Equal([false, true, false], HaveValues(board, "4.1.6.copies"));
        Assert.DoesNotContain("other", System.Text.Encoding.UTF8.GetString(File.ReadAllBytes(Path.Combine(board.Bundles, "2.1.3.copies"))),
            StringComparison.Ordinal);
        Assert.Equal(s_secrets, Read(board, "2.1.0.copies").WrappedSecrets.ToArray());

        // After the second call of Prune, the oldest remaining epoch bundle is that of epoch 4. Only a database at epoch 3 or later can
        // import the remaining bundles. Such a database already has the copies that were staged after epoch 2, so their bundles are deleted
        // too.
        state.Prune(5, kept: 3);
        Assert.Equal(["2.1.0.copies", "2.1.3.copies", "4.1.6.copies"], Names(board));
        state.Prune(6, kept: 3);
        Assert.Equal(["4.1.6.copies"], Names(board));
        state.DestroyCopies(2);
        Assert.Equal(["4.1.6.copies"], Names(board));
        state.DestroyCopies(1);
        Assert.Empty(Names(board));
    }

    private static CopyBundle Read(BoardFolder board, string name) =>
        CopyBundle.Decode(File.ReadAllBytes(Path.Combine(board.Bundles, name)));

    private static IEnumerable<bool> HaveValues(BoardFolder board, string name) =>
        Read(board, name).Copies.Rows.ToArray().Select(row => row.ValueOffset != LeafRow.NoValue);

    private static IEnumerable<string> Names(BoardFolder board) =>
        Directory.EnumerateFiles(board.Bundles, "*.copies").Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal);

    // Returns a bundle of three rows: two copies, and a row that removes the first copy's key.
    private static CopyBundle Bundle(ulong after, int first)
    {
        var rows = new LeafRow[3];
        for (int i = 0; i < rows.Length; i++)
        {
            rows[i].Structure = StructureId.Keys;
            rows[i].Label = Enumerable.Repeat((byte)(i + 1), 32).ToArray();
            rows[i].ValueOffset = LeafRow.NoValue;
        }
        for (int i = 0; i < 2; i++)
        {
            rows[i].Version = 1;
            rows[i].Commitment = rows[i].Label;
            rows[i].Opening = rows[i].Label[..16];
            rows[i].ValueOffset = (ulong)(5 * i);
            rows[i].ValueLength = 5;
        }
        CopySource[] sources = [new(2, 1, 0), new(1, 1, 1), default];
        int[] keyEnds = [1, 2, 2];
        return new CopyBundle(after, first == 0 ? s_secrets : default,
            new CopyBatch(1, first, rows, sources, "valueother"u8.ToArray(), "ab"u8.ToArray(), keyEnds));
    }
}
