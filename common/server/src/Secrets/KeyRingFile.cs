using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Changes the file of a <see cref="KeyRing"/> while programs read it. A program never reads a half-written file. Only one process at a
/// time can change the file, because each change takes a lock on another file, which is next to the ring's file.
/// </summary>
public sealed class KeyRingFile
{
    private readonly string _path;
    private readonly Func<string, IKeyCipher>? _openToken;

    /// <summary>Prepares to change the file of a ring. Throws <see cref="SecretsException"/> if the ring is in a variable or a
    /// credential.</summary>
    public KeyRingFile(KeyRing ring, Func<string, IKeyCipher>? openToken)
    {
        ArgumentNullException.ThrowIfNull(ring);
        string path = ring.File
            ?? throw new SecretsException(
                $"The key-encryption keys come from {ring.Source}, which this command cannot change: change them at their source, and restart the programs that use them.");
        // If the path is a symbolic link, the lock is next to the link's target, so that two links to one file share one lock.
        _path = FileTarget.Resolve(path).Path;
        _openToken = openToken;
    }

    /// <summary>
    /// Adds a key at the end of the ring and returns the key's id. Throws <see cref="SecretsException"/> if the ring already has the key or
    /// the line is not a valid key; the file is then unchanged.
    /// </summary>
    /// <param name="line">The key: 43 characters of base64url, or a URI. The line may end with a newline.</param>
    /// <param name="source">The origin of the line, which messages name.</param>
    public KeyId Add(ReadOnlySpan<byte> line, string source)
    {
        byte[] one = KeyRing.SplitLines(line, source) is [var single]
            ? single
            : throw new SecretsException($"{source} holds several keys: add them one by one.");
        try
        {
            using KeyEncryptionKey key = KeyRing.OpenLine(one, source, _openToken);
            KeyId id = key.Id;
            Change(lines => Opened(lines).Any(known => known.Id == id)
                ? throw new SecretsException($"{_path} has the key-encryption key {id} already.")
                : lines.Count == KeyRing.MaxKeys
                    ? throw new SecretsException($"{_path} has {KeyRing.MaxKeys} keys: remove those that are no longer needed.")
                : [.. lines, one]);
            return id;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(one);
        }
    }

    /// <summary>
    /// Removes the key with this id from the ring. Throws <see cref="SecretsException"/> if the ring does not have the key, or has no other
    /// key.
    /// </summary>
    public void Remove(KeyId id) => Change(lines =>
    {
        List<(KeyId Id, byte[] Line)> known = Opened(lines);
        List<byte[]> left = [.. known.Where(key => key.Id != id).Select(key => key.Line)];
        return left.Count == known.Count
            ? throw new SecretsException($"{_path} does not have the key-encryption key {id}: see 'optiks-db kek list'.")
            : left.Count == 0 ? throw new SecretsException($"{_path} has no key other than {id}, which cannot be removed.")
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
            // The new file belongs to the user who runs the command. If the old file belonged to another user, the services could not read
            // the new file, so the change is refused.
            using (var stream = new FileStream(_path, new FileStreamOptions { BufferSize = 0 }))
            {
                if (!SecretFile.IsOwnFile(stream.SafeFileHandle))
                {
                    throw new SecretsException(
                        $"{_path} belongs to another user, whom the services run as: run this command as that user.");
                }
            }
            lines = KeyRing.SplitLines(before, _path);
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

    private FileStream Lock() =>
        LockFile.TryTake(_path + ".lock") ?? throw new SecretsException($"{_path} is being changed by another command: try again.");
}
