/** What Japanese questions ask with is no content: `鍵はどこですか` asks for `鍵`, `光合成とは` and `図書館について教えて` alike. */

const KANA = /[\u3041-\u309f]/
/** Question words, after a particle or at the beginning, with the particles around them. */
const QUESTION_WORD =
  /(?:^|には|では|とは|って|[はがをにでともへの、])(?:いつ(?!も)(?:まで|から|ごろ)?|どこ|誰|だれ|何[時日度人分年月回]?|なに|いくら|いくつ|ど[のれ]くらい|どんな|どう(?:やって|したら|すれば|して|なって)?|なぜ)(?:まで|から|[にへがをの]|で(?!す[かが]|した|しょう|き))?/g
/** Endings of speech. */
const ENDING =
  /(?:とは|って|という(?:もの|の)?|について|に関して|のこと|[のん]?(?:です|でした|でしょう|だろう)か?|(?:ます|ました|ません)か?|[のん]?だっけ|を?教えて|ください|下さい|ほしい|[?!。、]|(?<=[うくすつぬむるたい])の)$/
/** Particles that are left when a question word or an ending is cut off. */
const PARTICLE = /(?:には|では|って|[はがをにでと])$/
/** Verbs that say nothing by themselves. */
const EMPTY =
  /^(?:い|い[いる]|し|する|すればいい|して(?:い|いる)?|あり?|ある|でき|できる|なり|なる|なって(?:い|いる)?|こと|も)$/

/** Cuts what a text asks with; what is left may be nothing. */
export function cutAsking(text: string): string {
  if (!KANA.test(text)) return text
  const composed = text.normalize('NFKC')
  const pieces = composed.replace(QUESTION_WORD, ' ').split(' ')
  const cut = pieces.map(cutEnding).filter((piece) => !EMPTY.test(piece))
  const isCut = pieces.length > 1 || cut[0] !== composed
  return (isCut ? cut.map((piece) => piece.replace(PARTICLE, '')) : cut).join(' ')
}

function cutEnding(text: string): string {
  const shorter = text.replace(ENDING, '')
  return shorter === text ? text : cutEnding(shorter)
}
