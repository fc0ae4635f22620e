import { newKey } from './gate/keys'

/** The command line: `bun src/cli.ts COMMAND`. */
const COMMANDS: Readonly<Record<string, { readonly help: string; run(): void }>> = {
  key: {
    help: 'prints a new API key; nothing is stored, the server meets the key at its first request',
    run: () => print(newKey((bytes) => crypto.getRandomValues(bytes))),
  },
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

const command = COMMANDS[process.argv[2] ?? '']
if (command) command.run()
else {
  print('Commands:')
  for (const [name, { help }] of Object.entries(COMMANDS)) print(`  ${name}  ${help}`)
  process.exitCode = 1
}
