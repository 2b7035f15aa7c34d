using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A verdict on an answer, with the new knowledge from the answer if it is valid.</summary>
internal readonly record struct Checked<T>(Reason Reason, VerifiedHead? Head, T? Learnt, int? FailedKey);
