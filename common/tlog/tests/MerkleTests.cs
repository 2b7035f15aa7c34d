using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class MerkleTests
{
    private static readonly LeafHashReader Leaves = new(Vectors.Entries);

    [Fact]
    public void Roots_of_all_sizes_to_600()
    {
        Assert.Equal((600, 601), (Vectors.Entries.Count, Vectors.Roots.Count));
        var range = new CompactRange();
        var edge = new RightEdge();
        Assert.Equal(Vectors.Roots[0], range.Root());
        Assert.Equal(Vectors.Roots[0], edge.Root());
        foreach (byte[] entry in Vectors.Entries)
        {
            range.Append(Rfc6962.LeafHash(entry));
            edge.Append(Rfc6962.LeafHash(entry), (_, _) => { });
            Assert.Equal(Vectors.Roots[(int)range.Size], range.Root());
            Assert.Equal(Vectors.Roots[(int)edge.Size], edge.Root());
        }
        Assert.Equal(600UL, range.Size);
    }

    [Fact]
    public async Task Inclusion_vectors()
    {
        JsonElement[] vectors = [.. Vectors.Inclusion.GetProperty("vectors").EnumerateArray()];
        Assert.Equal((60, 20), (vectors.Count(IsValid), vectors.Count(vector => !IsValid(vector))));
        foreach (JsonElement vector in vectors)
        {
            Assert.True(IsValid(vector) == VerifyInclusion(vector), vector.Text("id"));
            if (IsValid(vector))
            {
                Vectors.TryHashes(vector, out List<TreeHash> proof);
                (ulong index, ulong size) = (vector.GetProperty("index").GetUInt64(), vector.GetProperty("size").GetUInt64());
                Assert.Equal(proof, await InclusionProof.MakeAsync(Leaves, index, size, CancellationToken.None));
            }
        }
    }

    [Fact]
    public async Task Consistency_vectors()
    {
        JsonElement[] vectors = [.. Vectors.Consistency.GetProperty("vectors").EnumerateArray()];
        Assert.Equal((60, 20), (vectors.Count(IsValid), vectors.Count(vector => !IsValid(vector))));
        foreach (JsonElement vector in vectors)
        {
            (ulong size1, ulong size2) = (vector.GetProperty("size1").GetUInt64(), vector.GetProperty("size2").GetUInt64());
            (TreeHash root1, TreeHash root2) = (Vectors.Hash(vector.Text("root1_hex")), Vectors.Hash(vector.Text("root2_hex")));
            Assert.True(Vectors.TryHashes(vector, out List<TreeHash> proof));
            TlogError error = ConsistencyProof.Verify(size1, root1, size2, root2, proof);
            Assert.True(IsValid(vector) == (error == TlogError.None), vector.Text("id"));
            if (IsValid(vector))
            {
                Assert.Equal(proof, await ConsistencyProof.MakeAsync(Leaves, size1, size2, CancellationToken.None));
            }
        }
    }

    [Fact]
    public void Notable_inclusion_vectors_show_what_a_caller_must_bind()
    {
        JsonElement[] vectors = [.. Vectors.Inclusion.GetProperty("notable").EnumerateArray()];

        // The verifier accepts two of these claims although they are false: a false size with the true root, and an interior node that is
        // presented as a leaf with a false size. A caller must therefore take the size and the leaf hash from a trusted source.
        Assert.Equal([true, false, true], vectors.Select(VerifyInclusion));
    }

    [Fact]
    public async Task Every_pair_of_small_sizes_proves_and_no_other()
    {
        for (int size = 1; size <= 20; size++)
        {
            for (int index = 0; index < size; index++)
            {
                IReadOnlyList<TreeHash> proof = await InclusionProof.MakeAsync(Leaves, (ulong)index, (ulong)size, CancellationToken.None);
                TreeHash leaf = Rfc6962.LeafHash(Vectors.Entries[index]);
                for (int claimed = 0; claimed <= size; claimed++)
                {
                    TlogError error = InclusionProof.Verify(leaf, (ulong)claimed, (ulong)size, Vectors.Roots[size], proof);
                    Assert.Equal(claimed == index, error == TlogError.None);
                }
            }
            for (int old = 0; old <= size; old++)
            {
                IReadOnlyList<TreeHash> proof = await ConsistencyProof.MakeAsync(Leaves, (ulong)old, (ulong)size, CancellationToken.None);
                for (int claimed = 0; claimed <= size + 1; claimed++)
                {
                    TlogError error =
                        ConsistencyProof.Verify((ulong)claimed, Vectors.Roots[claimed], (ulong)size, Vectors.Roots[size], proof);

                    // The proof from size 0 and the proof from a tree to itself are both empty, so each is accepted in place of the other.
                    bool bothEmpty = (old == 0 || old == size) && (claimed == 0 || claimed == size);
                    Assert.Equal(claimed == old || bothEmpty, error == TlogError.None);
                }
            }
        }
    }

    [Fact]
    public void Sizes_up_to_2_64_do_not_overflow()
    {
        TreeHash[] proof = [.. Enumerable.Range(0, 64).Select(i => Vectors.Roots[i])];
        TreeHash root = Vectors.Roots[100];
        for (int i = 0; i < 64; i++)
        {
            root = Rfc6962.NodeHash(root, proof[i]);
        }

        // In the largest tree, the inclusion proof of index 0 has 64 hashes.
        Assert.Equal(TlogError.None, InclusionProof.Verify(Vectors.Roots[100], 0, ulong.MaxValue, root, proof));
        Assert.Equal(TlogError.ProofLength, InclusionProof.Verify(Vectors.Roots[100], 0, ulong.MaxValue, root, proof[..63]));
        Assert.Equal(TlogError.ProofLength, InclusionProof.Verify(Vectors.Roots[100], 0, ulong.MaxValue, root, [.. proof, default]));
        Assert.Equal(TlogError.IndexOutOfRange, InclusionProof.Verify(default, ulong.MaxValue, ulong.MaxValue, default, []));
        Assert.Equal(TlogError.ProofLength, ConsistencyProof.Verify(ulong.MaxValue - 1, default, ulong.MaxValue, default, []));
    }

    [Fact]
    public void Empty_trees_have_one_root()
    {
        TreeHash other = Vectors.Roots[1];
        Assert.Equal(TlogError.None, ConsistencyProof.Verify(0, Rfc6962.EmptyRoot, 0, Rfc6962.EmptyRoot, []));
        Assert.Equal(TlogError.RootMismatch, ConsistencyProof.Verify(0, other, 0, other, []));
        Assert.Equal(TlogError.RootMismatch, ConsistencyProof.Verify(0, other, 1, other, []));
    }

    private static bool IsValid(JsonElement vector) => vector.GetProperty("valid").GetBoolean();

    private static bool VerifyInclusion(JsonElement vector) =>
        TreeHash.TryFromBytes(Convert.FromHexString(vector.Text("leaf_hash_hex")), out TreeHash leaf)
        && Vectors.TryHashes(vector, out List<TreeHash> proof)
        && InclusionProof.Verify(
            leaf,
            vector.GetProperty("index").GetUInt64(),
            vector.GetProperty("size").GetUInt64(),
            Vectors.Hash(vector.Text("root_hex")),
            proof)
            == TlogError.None;
}
