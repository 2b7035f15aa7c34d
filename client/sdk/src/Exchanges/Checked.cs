using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Checked is a verdict with what was learnt when it is valid.</summary>
internal readonly record struct Checked<T>(Reason Reason, VerifiedHead? Head, T? Learnt, int? FailedKey);
