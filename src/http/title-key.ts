/**
 * The form in which titles and link labels are compared: NFC, case folded, white space joined. JavaScript has no case
 * folding; lower, upper, lower comes to the same (`ß` is `ss`), but for the dotless i, which stays a letter of its own,
 * and the final sigma, which is made an ordinary one.
 */
export function titleKey(title: string): string {
  const plain = title.normalize('NFC').replace(/\s+/g, ' ').trim()
  if (/^[ -~]*$/.test(plain)) return plain.toLowerCase()
  const folded = plain.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
  return folded.replaceAll('ς', 'σ').normalize('NFC')
}
