using System.Globalization;
using System.Text;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Witness.Tests.Support;

/// <summary>
/// Creates add-checkpoint requests of the log in the test vectors. It can also fork that log: from a given entry on, the fork has other
/// entries.
/// </summary>
internal sealed class TestLog
{
    private static readonly NoteSigner s_signer = new(Vectors.Log.Name, SignatureType.Ed25519, Vectors.LogSeed);

    private readonly IReadOnlyList<TreeHash> _leaves;

    public TestLog(int forkedFrom = int.MaxValue)
        : this(Vectors.Leaves, forkedFrom)
    {
    }

    private TestLog(IEnumerable<TreeHash> leaves, int forkedFrom) =>
        _leaves = [.. leaves.Select((leaf, i) => i < forkedFrom ? leaf : Rfc6962.NodeHash(leaf, leaf))];

    /// <summary>
    /// Returns a log with the same entries before the index in <paramref name="from"/>, and with other entries from this index on.
    /// </summary>
    public TestLog Fork(int from) => new(_leaves, from);

    public TreeHash Root(int size) => size == 0 ? Rfc6962.EmptyRoot : Hash(0, size);

    public async Task<SignedNote> NoteAsync(int size) =>
        await SignedNote.SignAsync(new Checkpoint(Vectors.Log.Name, (ulong)size, Root(size)).Encode(), s_signer, CancellationToken.None);

    public async Task<byte[]> RequestAsync(int oldSize, int size)
    {
        IReadOnlyList<TreeHash> proof =
            await ConsistencyProof.MakeAsync(new Reader(this), (ulong)oldSize, (ulong)size, CancellationToken.None);
        string head = string.Create(CultureInfo.InvariantCulture, $"old {oldSize}\n{string.Concat(proof.Select(hash => $"{hash}\n"))}\n");
        return [.. Encoding.UTF8.GetBytes(head), .. (await NoteAsync(size)).Encode()];
    }

    private TreeHash Hash(int start, int end)
    {
        if (end - start == 1)
        {
            return _leaves[start];
        }
        int half = (int)(System.Numerics.BitOperations.RoundUpToPowerOf2((uint)(end - start)) / 2);
        return Rfc6962.NodeHash(Hash(start, start + half), Hash(start + half, end));
    }

    private sealed class Reader(TestLog log) : IHashReader
    {
        public ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken) =>
            ValueTask.FromResult<IReadOnlyList<TreeHash>>(
                [.. nodes.Select(node => log.Hash((int)(node.Index << node.Level), (int)((node.Index + 1) << node.Level)))]);
    }
}
