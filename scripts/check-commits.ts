/**
 * Looks at the subjects of all commits since the rule was made, and prints each that breaks it. A clone that lacks the
 * first of them, such as a shallow one, is not checked, and says so.
 */
import { execFileSync, spawnSync } from 'node:child_process';

/** The last commit that the rule does not concern. */
const base = '3c2229354eb8c19e6fbc65bdb07bf1779b43ca35';

const longest = 72;
/** Words that end like another form of a verb, and are the imperative. */
const imperatives = new Set(['Bring', 'Ring', 'Embed', 'Exceed', 'Feed', 'Need', 'Proceed', 'Seed', 'Shed', 'Speed']);
const noVerbs = new Set([
  'A',
  'All',
  'An',
  'Each',
  'Every',
  'In',
  'It',
  'New',
  'No',
  'On',
  'One',
  'The',
  'This',
  'When',
]);

/** What is wrong with the subject of a commit, which tells in the imperative what it does: "Refuse a second server". */
export function subjectFaults(subject: string): readonly string[] {
  const [first = ''] = subject.split(/[ ,:]/, 1);
  return [
    ...(subject.length > longest ? [`has ${subject.length} characters, and may have ${longest}`] : []),
    ...(/^[A-Z][a-z]+$/.test(first) && isImperative(first) ? [] : ['does not begin with a verb such as "Add"']),
    ...(/[.!?]$/.test(subject) ? ['ends with a full stop'] : []),
  ];
}

function isImperative(word: string): boolean {
  if (noVerbs.has(word)) return false;
  return imperatives.has(word) || !/(?:ing|ed|[^s]s)$/.test(word);
}

if (import.meta.main) {
  const isThere = spawnSync('git', ['merge-base', '--is-ancestor', base, 'HEAD'], { stdio: 'ignore' }).status === 0;
  if (isThere) {
    const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', `${base}..HEAD`], { encoding: 'utf8' });
    for (const line of log.split('\n').filter((each) => each !== '')) {
      const [commit = '', ...words] = line.split(' ');
      for (const fault of subjectFaults(words.join(' '))) {
        console.log(`${commit} ${words.join(' ')}\n    ${fault}`);
        process.exitCode = 1;
      }
    }
  } else {
    console.log(`The subjects of commits were not checked: this clone does not have ${base.slice(0, 7)}.`);
  }
}
