import { SETTINGS } from '../../src/config'

/**
 * The table of settings as it stands in the README. `bun test/support/settings-table.ts` prints it, to be put there
 * again after a change of src/config.ts.
 */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: fallback, unit, help }]) => {
    return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${unit} | ${help} |`
  })
  return ['| name | default | unit | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

if (import.meta.main) process.stdout.write(`${settingsTable()}\n`)
