/**
 * Passwords that are tried first everywhere and are long enough to pass otherwise, in the form in which `blocklisted`
 * compares: lower case, letters for the digits and signs that stand for them, without digits and signs around the rest.
 * Small on purpose: guesses are limited, so only what is tried in the first thousands matters (NIST SP 800-63B §3.1.1.2).
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `password passwords passwort mypassword yourpassword newpassword oldpassword thepassword
passwordpassword passpass passphrase motdepasse contrasena contraseña wachtwoord senha parola haslo
letmein letmeinnow letmeinplease openopen opensesame iloveyou iloveyouso iloveyoubaby ilovemyself iloveme
welcome welcomehome welcometo welcomeback changeme changemenow changeit changethis pleasechange pleasechangeme
changepassword administrator administrators admin adminadmin adminpassword passwordadmin administration rootroot
rootpassword toortoor superuser superadmin supervisor superman supersecret topsecret secretsecret secretpassword
mysecret mysecretpassword defaultpassword default temporary temppassword temporarypassword testtest testtesttest testing
testpassword testaccount testuser useruser username userpassword guestguest guestpassword
qwertyuiop qwertyuiopasdfghjkl qwertyqwerty qwertyasdfgh asdfghjkl asdfghjklm asdfasdfasdf zxcvbnm zxcvbnmasdfghjkl
qazwsxedc qazwsxedcrfv qazwsx qweasdzxc qweasdzxcqweasdzxc azertyuiop qwertzuiop poiuytrewq lkjhgfdsa mnbvcxz
abcdefghij abcdefghijk abcdefghijkl abcdefghijklmnop abcdefg abcabcabc abcdabcd
football footballer baseball baseballs basketball volleyball softball soccer hockey liverpool liverpoolfc chelsea
manchester manchesterunited arsenal barcelona juventus realmadrid
princess princesses sunshine sunshines butterfly butterflies chocolate chocolates strawberry blueberry cinnamon
pineapple watermelon bananabanana cheesecake sweetheart sweetpea babygirl babyboy angelangel
dragon dragonball dragons master masterkey masterpassword monkey monkeymonkey shadow shadowshadow tinkerbell
batman batmanbatman spiderman superstar starwars startrek pokemon pikachu minecraft fortnite nintendo playstation
computer computers internet internets microsoft windows windowsxp google googlegoogle facebook instagram whatsapp
samsung samsunggalaxy iphone android linux linuxlinux ubuntu raspberry raspberrypi oracle database server serverserver
trustno trustnoone whatever whatevers nothing nothings something anything everything
michael michaeljackson jennifer jessica michelle christopher christian charlotte alexander alexandra elizabeth
metallica slipknot blinkone linkinpark beatles
correcthorsebatterystaple correcthorse thequickbrownfox loremipsum helloworld hellohello hellokitty goodmorning
mustang corvette ferrari lamborghini mercedes porsche volkswagen harleydavidson
january february september october november december summer winter spring autumn monday wednesday thursday saturday
woaini woainima wozuishuai nihaoma zhongguo`.split(/\s+/),
);
