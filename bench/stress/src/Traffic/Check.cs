using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Verifies an answer against the head <paramref name="kept"/>, which was the replica's kept head at the time of the request. The
/// check changes no state.</summary>
internal delegate (Reason Reason, VerifiedHead? Head, T? Found) Check<T>(VerifierContext context, KeptHead? kept, byte[] answer);
