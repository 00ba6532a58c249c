import { runCommandLine } from './cli/command-line.ts';
import { failOnLostOutput, goOnWithoutLog } from './cli/terminal.ts';

process.stdout.on('error', failOnLostOutput);
process.stderr.on('error', goOnWithoutLog);
const exitCode = await runCommandLine(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  folder: process.cwd(),
});
// Not process.exit(): written text must reach a slow reader first.
process.exitCode = exitCode || process.exitCode;
