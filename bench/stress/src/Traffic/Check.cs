using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Verifies an answer against the head that was kept when the answer was requested. The check changes no state.</summary>
internal delegate (Reason Reason, VerifiedHead? Head, T? Found) Check<T>(VerifierContext context, KeptHead? kept, byte[] answer);
