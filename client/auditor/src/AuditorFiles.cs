using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>
/// An auditor's own files of one log. They are in the folder that also has the auditor session's state, and that folder's lock excludes
/// other processes. Only the mark is in another folder. Each call that saves a file replaces the file in one step, and returns once the new
/// file is on disk.
/// </summary>
internal sealed class AuditorFiles
{
    private readonly string _signed;
    private readonly string _finding;

    public AuditorFiles(AuditorSettings settings, AuditedLog log)
    {
        Folder = Path.GetFullPath(Path.Combine(settings.StateFolder, log.Id));
        Mark = Path.GetFullPath(Path.Combine(settings.MarkFolder, $"{log.Id}.mark"));
        _signed = Path.Combine(Folder, "signed.json");
        _finding = Path.Combine(Folder, "finding.json");
    }

    /// <summary>The log's folder.</summary>
    public string Folder { get; }

    /// <summary>The mark's file.</summary>
    public string Mark { get; }

    /// <summary>The folder for evidence against the log.</summary>
    public string Evidence => Path.Combine(Folder, "evidence");

    public SignedStatement? LoadSigned() => Load(_signed, AuditorJson.Default.SignedStatement);

    public void Save(SignedStatement signed) =>
        AtomicFile.Write(_signed, JsonSerializer.SerializeToUtf8Bytes(signed, AuditorJson.Default.SignedStatement), AtomicFile.PrivateMode);

    public Finding? LoadFinding() => Load(_finding, AuditorJson.Default.Finding);

    public void Save(Finding finding) =>
        AtomicFile.Write(_finding, JsonSerializer.SerializeToUtf8Bytes(finding, AuditorJson.Default.Finding), AtomicFile.PrivateMode);

    /// <summary>Removes the finding, so that the audit of the log can continue.</summary>
    public void RemoveFinding()
    {
        File.Delete(_finding);
        Optiks.Tlog.DurableFiles.SyncFolder(Folder);
    }

    /// <summary>
    /// Locks the mark until the result is disposed, because a process with another state would act as a second auditor with the same key.
    /// Throws <see cref="StartupException"/> when another process holds the lock.
    /// </summary>
    public FileStream LockMark()
    {
        DataFolder.CreateFolder(Path.GetDirectoryName(Mark)!);
        return LockFile.TryTake($"{Mark}.lock")
            ?? throw new StartupException($"Another auditor uses {Mark}: one key signs from one state.");
    }

    public AuditorMark? LoadMark(TrustAnchor anchor) => AuditorMark.Read(Mark, anchor);

    public void Save(AuditorMark mark) => AtomicFile.Write(Mark, mark.Encode(), AtomicFile.PrivateMode);

    private static T? Load<T>(string path, JsonTypeInfo<T> type)
        where T : class
    {
        byte[] octets;
        try
        {
            octets = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        try
        {
            return JsonSerializer.Deserialize(octets, type) ?? throw new JsonException("null");
        }
        catch (JsonException e)
        {
            throw new InvalidDataException($"{path} is damaged: it is not the expected JSON. Restore it from a backup.", e);
        }
    }
}
