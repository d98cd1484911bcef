// Measures a town as every binding does: Pace.exe COMMANDS.jsonl NPCS QUESTIONS OPTIONS. See bindings/conformance/README.md.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading;
using Nightfold;

internal static class Pace
{
    private static int Frame(NightfoldTown town, ref long now, string kind, bool brief)
    {
        int count = 0;
        town.Tick(++now);
        for (string told = town.NextEvent(); told != null; told = town.NextEvent())
            if (told.StartsWith(kind, StringComparison.Ordinal)) count++;
        if (count == 0) { if (brief) Thread.Sleep(TimeSpan.FromMilliseconds(0.25)); else Thread.Sleep(1); }
        return count;
    }

    private static int Main(string[] args)
    {
        int npcs = int.Parse(args[1]), questions = int.Parse(args[2]);
        long now = 100000;
        using (var town = new NightfoldTown(args[3]))
        {
            var clock = Stopwatch.StartNew();
            foreach (string command in File.ReadLines(args[0])) town.Do(command);
            for (int slept = 0; slept < npcs;) slept += Frame(town, ref now, "{\"event\":\"consolidated\"", false);
            double rate = npcs / clock.Elapsed.TotalSeconds;
            var waits = new List<double>();
            for (int number = 0; number < questions; number++)
            {
                clock.Restart();
                town.Ask("Asked", "What about number " + number + "?");
                while (Frame(town, ref now, "{\"event\":\"answered\"", true) == 0) { }
                waits.Add(clock.Elapsed.TotalMilliseconds);
            }
            waits.Sort();
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture,
                "{0:F2} nights a second, answers {1:F1} ms in the median, {2:F1} ms at p99",
                rate, waits[questions / 2], waits[questions * 99 / 100]));
        }
        return 0;
    }
}
