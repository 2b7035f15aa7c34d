using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A verdict with what the answer taught, when it is valid.</summary>
internal readonly record struct Checked<T>(Reason Reason, VerifiedHead? Head, T? Learnt, int? FailedKey);
