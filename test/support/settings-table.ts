import { SETTINGS } from '../../src/config'

/**
 * The table of settings as docs/settings.md shows it, without the blanks that line up its columns.
 * `bun test/support/settings-table.ts` prints it, to be put there again after a change of src/config.ts.
 */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: text, unit, help }]) =>
    row(`\`${name}\``, text && `\`${text}\``, unit, help),
  )
  return [row('name', 'default', 'unit', 'meaning'), row('---', '---', '---', '---'), ...rows].join('\n')
}

function row(...cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}

if (import.meta.main) process.stdout.write(`${settingsTable()}\n`)
