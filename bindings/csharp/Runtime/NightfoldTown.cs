// Nightfold for C#: Unity, Godot's .NET, Mono and .NET. Needs the native library nightfold_c beside the program (in Unity: under Plugins).
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Nightfold
{
    /// <summary>Reason for which a call was refused; nothing was changed.</summary>
    public sealed class NightfoldException : Exception
    {
        public NightfoldException(string code, string message) : base(message) { Code = code; }

        /// <summary>Name of the kind of refusal, such as "unknown_npc".</summary>
        public string Code { get; }
    }

    /// <summary>
    /// A town of NPCs that sleep, remember and are asked. Used by one thread at a time; moments are seconds of game time. Call
    /// <see cref="Tick"/> once a frame and read the events with <see cref="NextEvent"/>: JSON, which Unity's JsonUtility and
    /// System.Text.Json read.
    /// </summary>
    public sealed class NightfoldTown : IDisposable
    {
        private IntPtr town;

        /// <summary>Opens a town with options as JSON; blocks while the model opens.</summary>
        public NightfoldTown(string optionsJson = "{}")
        {
            if (Native.nf_abi_version() != Native.AbiVersion)
                throw new NightfoldException("abi", "the native library nightfold_c does not fit this package");
            town = Native.nf_open(Utf8(optionsJson));
            if (town == IntPtr.Zero) throw Refusal();
        }

        ~NightfoldTown() { Close(); }

        /// <summary>Closes the town: nights that are planned are given up, those that are written are written.</summary>
        public void Dispose()
        {
            Close();
            GC.SuppressFinalize(this);
        }

        /// <summary>Adds an NPC; one that recalls can be asked by day.</summary>
        public void Spawn(string npc, bool recalls = false) { Done(Native.nf_spawn(town, Utf8(npc), recalls ? 1 : 0)); }

        /// <summary>Removes an NPC with the memories of its day; let it sleep first to keep them.</summary>
        public void Despawn(string npc) { Done(Native.nf_despawn(town, Utf8(npc))); }

        /// <summary>Adds a memory, as JSON, to an NPC's day.</summary>
        public void Live(string npc, string memoryJson) { Done(Native.nf_live(town, Utf8(npc), Utf8(memoryJson))); }

        /// <summary>Puts an NPC to bed; quality is 0 to 1.</summary>
        public void Sleep(string npc, long since, long until, double quality = 1.0)
        {
            Done(Native.nf_sleep(town, Utf8(npc), since, until, quality));
        }

        /// <summary>Wakes an NPC.</summary>
        public void Wake(string npc) { Done(Native.nf_wake(town, Utf8(npc))); }

        /// <summary>Asks an NPC; the ticket comes back with the event "answered". The filter is JSON, or null.</summary>
        public long Ask(string npc, string question, string filterJson = null)
        {
            return Done(Native.nf_ask(town, Utf8(npc), Utf8(question), filterJson == null ? null : Utf8(filterJson)));
        }

        /// <summary>Runs a tick, once a frame; returns the number of events to be read.</summary>
        public long Tick(long now) { return Done(Native.nf_tick(town, now)); }

        /// <summary>Computes for about this long in a town without threads; true if more work waits.</summary>
        public bool Step(uint budgetMicroseconds) { return Done(Native.nf_step(town, budgetMicroseconds)) > 0; }

        /// <summary>Removes and returns the next event, as JSON; null if there is none.</summary>
        public string NextEvent()
        {
            IntPtr json = Native.nf_next_event(town);
            if (json == IntPtr.Zero && Native.nf_last_error() != IntPtr.Zero) throw Refusal();
            string told = Text(json);
            GC.KeepAlive(this);
            return told;
        }

        /// <summary>Hands over the vectors of a batch, row after row.</summary>
        public void Vectors(ulong batch, float[] numbers)
        {
            Done(Native.nf_vectors(town, batch, numbers, (UIntPtr)numbers.Length));
        }

        /// <summary>Carries a command out that is written as JSON; returns the reply as JSON.</summary>
        public string Do(string commandJson)
        {
            IntPtr reply = Native.nf_do(town, Utf8(commandJson));
            if (reply == IntPtr.Zero) throw Refusal();
            string text = Text(reply);
            // Until its text is copied the town must not be collected: its finaliser closes it.
            GC.KeepAlive(this);
            return text;
        }

        /// <summary>Returns a text as JSON, in quotes.</summary>
        public static string Quoted(string text)
        {
            var json = new StringBuilder("\"");
            foreach (char letter in text)
            {
                if (letter == '"' || letter == '\\') json.Append('\\').Append(letter);
                else if (letter < ' ') json.Append("\\u").Append(((int)letter).ToString("x4"));
                else json.Append(letter);
            }
            return json.Append('"').ToString();
        }

        private void Close()
        {
            // Nothing was opened if the native library is missing, and then it cannot be called either.
            if (town == IntPtr.Zero) return;
            Native.nf_close(town);
            town = IntPtr.Zero;
        }

        private long Done(long result)
        {
            // The town must not be collected, and closed by its finaliser, during the call.
            GC.KeepAlive(this);
            if (result < 0) throw Refusal();
            return result;
        }

        private static NightfoldException Refusal()
        {
            return new NightfoldException(Text(Native.nf_last_error_code()), Text(Native.nf_last_error()));
        }

        // Texts cross as UTF-8 with a zero byte; Unity's Mono has no marshalling of its own for it.
        private static byte[] Utf8(string text)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException("a text holds a zero character");
            var bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
            Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
            return bytes;
        }

        private static string Text(IntPtr text)
        {
            if (text == IntPtr.Zero) return null;
            int length = 0;
            while (Marshal.ReadByte(text, length) != 0) length++;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        private static class Native
        {
            internal const uint AbiVersion = 1;
            private const string Library = "nightfold_c";
            private const CallingConvention C = CallingConvention.Cdecl;

            [DllImport(Library, CallingConvention = C)] internal static extern uint nf_abi_version();
            [DllImport(Library, CallingConvention = C)] internal static extern IntPtr nf_open(byte[] optionsJson);
            [DllImport(Library, CallingConvention = C)] internal static extern void nf_close(IntPtr town);
            [DllImport(Library, CallingConvention = C)] internal static extern IntPtr nf_do(IntPtr town, byte[] commandJson);
            [DllImport(Library, CallingConvention = C)] internal static extern int nf_spawn(IntPtr town, byte[] npc, int recalls);
            [DllImport(Library, CallingConvention = C)] internal static extern int nf_despawn(IntPtr town, byte[] npc);
            [DllImport(Library, CallingConvention = C)] internal static extern int nf_live(IntPtr town, byte[] npc, byte[] memoryJson);
            [DllImport(Library, CallingConvention = C)]
            internal static extern int nf_sleep(IntPtr town, byte[] npc, long since, long until, double quality);
            [DllImport(Library, CallingConvention = C)] internal static extern int nf_wake(IntPtr town, byte[] npc);
            [DllImport(Library, CallingConvention = C)]
            internal static extern long nf_ask(IntPtr town, byte[] npc, byte[] question, byte[] filterJson);
            [DllImport(Library, CallingConvention = C)] internal static extern long nf_tick(IntPtr town, long now);
            [DllImport(Library, CallingConvention = C)] internal static extern int nf_step(IntPtr town, uint budgetMicroseconds);
            [DllImport(Library, CallingConvention = C)] internal static extern IntPtr nf_next_event(IntPtr town);
            [DllImport(Library, CallingConvention = C)]
            internal static extern int nf_vectors(IntPtr town, ulong batch, float[] numbers, UIntPtr count);
            [DllImport(Library, CallingConvention = C)] internal static extern IntPtr nf_last_error();
            [DllImport(Library, CallingConvention = C)] internal static extern IntPtr nf_last_error_code();
        }
    }
}
