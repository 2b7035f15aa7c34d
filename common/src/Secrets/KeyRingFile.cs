using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// KeyRingFile changes the file of a <see cref="KeyRing"/> while programs read it: they see the file before or the one after, the next time that they use a key. Changes take turns by a lock on a file
/// beside it.
/// </summary>
public sealed class KeyRingFile
{
    private readonly string _path;
    private readonly Func<string, IKeyCipher>? _openToken;

    /// <summary>KeyRingFile of a ring. Throws <see cref="SecretsException"/> for one that is in a variable or a credential.</summary>
    public KeyRingFile(KeyRing ring, Func<string, IKeyCipher>? openToken)
    {
        ArgumentNullException.ThrowIfNull(ring);
        string path = ring.File ?? throw new SecretsException($"The key-encryption keys come from {ring.Source}, which this command cannot change: change it where it is made, and start the programs that have it again.");
        // Two links to one file share one lock.
        _path = FileTarget.Resolve(path).Path;
        _openToken = openToken;
    }

    /// <summary>Add puts a key behind the others and gives its id. Throws <see cref="SecretsException"/> for one that is there, or is none; the file is then as before.</summary>
    /// <param name="line">43 characters of base64url, or a URI; a newline may end it.</param>
    /// <param name="source">Where it is from, for messages.</param>
    public KeyId Add(ReadOnlySpan<byte> line, string source)
    {
        byte[] one = KeyRing.LinesOf(line, source) is [var single] ? single : throw new SecretsException($"{source} holds several keys: add them one by one.");
        try
        {
            using KeyEncryptionKey key = KeyRing.OpenLine(one, source, _openToken);
            KeyId id = key.Id;
            Change(lines => Opened(lines).Any(known => known.Id == id) ? throw new SecretsException($"{_path} has the key-encryption key {id} already.")
                : lines.Count == KeyRing.MaxKeys ? throw new SecretsException($"{_path} has {KeyRing.MaxKeys} keys: remove those that are not needed any more.")
                : [.. lines, one]);
            return id;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(one);
        }
    }

    /// <summary>Remove takes a key out. Throws <see cref="SecretsException"/> for one that is not there, and for the last.</summary>
    public void Remove(KeyId id) => Change(lines =>
    {
        List<(KeyId Id, byte[] Line)> known = Opened(lines);
        List<byte[]> left = [.. known.Where(key => key.Id != id).Select(key => key.Line)];
        return left.Count == known.Count ? throw new SecretsException($"{_path} does not have the key-encryption key {id}: see 'optiks-db kek list'.")
            : left.Count == 0 ? throw new SecretsException($"{_path} has no other key than {id}, which stays.")
            : left;
    });

    private List<(KeyId Id, byte[] Line)> Opened(List<byte[]> lines) => [.. lines.Select(line =>
    {
        using KeyEncryptionKey key = KeyRing.OpenLine(line, _path, _openToken);
        return (key.Id, line);
    })];

    private void Change(Func<List<byte[]>, List<byte[]>> change)
    {
        using FileStream held = Lock();
        byte[] before = SecretFile.Read(_path);
        List<byte[]> lines = [];
        byte[] after = [];
        try
        {
            // A file that is replaced belongs to who replaces it: the services could no longer read what was theirs.
            using (var stream = new FileStream(_path, new FileStreamOptions { BufferSize = 0 }))
            {
                if (!SecretFile.IsOwnFile(stream.SafeFileHandle))
                {
                    throw new SecretsException($"{_path} belongs to another user, as whom the services run: run this command as that user.");
                }
            }
            lines = KeyRing.LinesOf(before, _path);
            List<byte[]> changed = change(lines);
            after = GC.AllocateUninitializedArray<byte>(changed.Sum(line => line.Length + 1), pinned: true);
            int at = 0;
            foreach (byte[] line in changed)
            {
                line.CopyTo(after, at);
                after[at + line.Length] = (byte)'\n';
                at += line.Length + 1;
            }
            AtomicFile.Write(_path, after, AtomicFile.PrivateMode);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(before);
            CryptographicOperations.ZeroMemory(after);
            lines.ForEach(line => CryptographicOperations.ZeroMemory(line));
        }
    }

    private FileStream Lock() => LockFile.TryTake(_path + ".lock") ?? throw new SecretsException($"{_path} is being changed by another command: try again.");
}
