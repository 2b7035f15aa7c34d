using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.QueryService.Options;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>
/// Reads the file of cosigners. It has the format of a policy (docs/spec/board.md section 7), in which all cosigners, including auditors,
/// are listed as witnesses. Immutable.
/// </summary>
internal sealed class CosignerList
{
    /// <summary>
    /// The largest number of cosigners. It is limited because this service asks each cosigner every few seconds, and each answer of this
    /// service about cosigners contains one note for each of them.
    /// </summary>
    public const int MaxCosigners = 32;

    private const string Setting = $"{QueryServiceOptions.Section}:{nameof(QueryServiceOptions.CosignersFile)}";

    private readonly PolicyFile _file;

    private CosignerList(PolicyFile file)
    {
        _file = file;
    }

    /// <summary>
    /// Reads the file that the settings name; returns null if they name no file. Throws <see cref="StartupException"/> if the file cannot
    /// be used.
    /// </summary>
    public static CosignerList? Load(QueryServiceOptions options)
    {
        if (PolicyFile.Load(Setting, options.CosignersFile, "cosigners", MaxCosigners) is not { } file)
        {
            return null;
        }
        var list = new CosignerList(file);
        // The origin has no influence on whether an address is valid, so this code checks all addresses at the start, with an empty origin.
        _ = list.Addresses("");
        return list;
    }

    /// <summary>
    /// Returns a log's cosigners, in the order of the file. Throws <see cref="StartupException"/> if the file is about another log.
    /// </summary>
    public IReadOnlyList<Cosigner> ForLog(VerifierKey logKey)
    {
        _file.ThrowUnlessForLog(logKey);
        return Addresses(logKey.Name);
    }

    // Derives each cosigner's address from its monitoring address (C2SP tlog-witness). Auditors have such an address too.
    private Cosigner[] Addresses(string origin)
    {
        string log = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)));
        return [.. _file.Policy.Witnesses.Select(
            witness => new Cosigner(witness.Key,
                witness.Url is null ? null : _file.BuildUrl(witness, $"{log}/checkpoint", "the log's name")))];
    }
}
