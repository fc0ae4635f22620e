/** The flags of cards, by their number: names and colours are those of Anki. */
export const FLAGS: readonly (readonly [name: string, colour: string])[] = [
  ['No flag', ''],
  ['Red flag', '#e25252'],
  ['Orange flag', '#e58a2b'],
  ['Green flag', '#3fa35b'],
  ['Blue flag', '#4a86e0'],
  ['Pink flag', '#dd6fb0'],
  ['Turquoise flag', '#2ba5a5'],
  ['Purple flag', '#9367cf'],
]

export function Flag({ flag }: { flag: number }) {
  const [name, colour] = FLAGS[flag] ?? []
  if (flag === 0) return null
  return (
    <span class="study-flag" style={{ '--flag': colour }}>
      {name}
    </span>
  )
}
