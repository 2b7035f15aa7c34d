using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.QueryService.Options;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>
/// Reads the cosigners file, a policy (docs/spec/board.md section 7) whose witnesses are all cosigners, including auditors. Immutable.
/// </summary>
internal sealed class CosignerList
{
    /// <summary>
    /// The largest number of cosigners. It is limited because each cosigner costs a request every few seconds, and a note in each answer.
    /// </summary>
    public const int MaxCosigners = 32;

    private const string Setting = $"{QueryServiceOptions.Section}:{nameof(QueryServiceOptions.CosignersFile)}";

    private readonly PolicyFile _file;

    private CosignerList(PolicyFile file)
    {
        _file = file;
    }

    /// <summary>
    /// Reads the file that the settings name; returns null when they name no file. Throws <see cref="StartupException"/> for a file that
    /// cannot be used.
    /// </summary>
    public static CosignerList? Load(QueryServiceOptions options)
    {
        if (PolicyFile.Load(Setting, options.CosignersFile, "cosigners", MaxCosigners) is not { } file)
        {
            return null;
        }
        var list = new CosignerList(file);
        // The validity of an address does not depend on the log, so the addresses are checked at the start.
        _ = list.Addresses("");
        return list;
    }

    /// <summary>
    /// Returns a log's cosigners, in the order of the file. Throws <see cref="StartupException"/> when the file is about other logs.
    /// </summary>
    public IReadOnlyList<Cosigner> ForLog(VerifierKey logKey)
    {
        _file.ThrowUnlessForLog(logKey);
        return Addresses(logKey.Name);
    }

    // Derives each cosigner's address from the monitoring address of C2SP tlog-witness, which auditors have as well.
    private Cosigner[] Addresses(string origin)
    {
        string log = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)));
        return [.. _file.Policy.Witnesses.Select(witness => new Cosigner(witness.Key, witness.Url is null ? null : _file.BuildUrl(witness, $"{log}/checkpoint", "the log's name")))];
    }
}
