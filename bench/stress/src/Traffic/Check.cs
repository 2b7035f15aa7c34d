using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Check verifies an answer against the head that was kept when it was asked for, and changes nothing.</summary>
internal delegate (Reason Reason, VerifiedHead? Head, T? Found) Check<T>(VerifierContext context, KeptHead? kept, byte[] answer);
