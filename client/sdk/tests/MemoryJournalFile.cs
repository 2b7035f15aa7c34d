namespace Optiks.Client.Tests;

/// <summary>Holds a journal in memory, and can end each write at any octet as a crash or a full disk does.</summary>
internal sealed class MemoryJournalFile : IJournalFile
{
    private byte[]? _octets;

    public MemoryJournalFile(byte[]? octets = null) => _octets = octets;

    public string Path => "memory";

    public long? Length => _octets?.Length;

    /// <summary>The contents of the file.</summary>
    public byte[] Octets => _octets!;

    /// <summary>If set, the next append writes as many octets and throws <see cref="KilledException"/>.</summary>
    public int? KillsAppendAt { get; set; }

    /// <summary>Whether <see cref="Replace"/> throws, as it does on a full disk.</summary>
    public bool FailsReplace { get; set; }

    /// <summary>Whether <see cref="Cut"/> throws.</summary>
    public bool FailsCut { get; set; }

    /// <summary>How often the contents were replaced.</summary>
    public int Replacements { get; private set; }

    /// <summary>How often octets were appended, each time with one fsync.</summary>
    public int Appends { get; private set; }

    public void Read(long offset, Span<byte> into) => _octets.AsSpan((int)offset, into.Length).CopyTo(into);

    public void Append(ReadOnlySpan<byte> octets)
    {
        Appends++;
        int kept = KillsAppendAt ?? octets.Length;
        _octets = [.. _octets!, .. octets[..kept]];
        if (KillsAppendAt is not null)
        {
            KillsAppendAt = null;
            throw new KilledException();
        }
    }

    public void Cut(long length) => _octets = FailsCut ? throw new IOException("no cut") : _octets![..(int)length];

    public void Replace(IEnumerable<ReadOnlyMemory<byte>> parts)
    {
        byte[] octets = [.. parts.SelectMany(part => part.ToArray())];
        Replacements++;
        _octets = FailsReplace ? throw new IOException("no room") : octets;
    }

    public void Dispose()
    {
    }
}
